import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { missingBrowser, referenceOf, withBrowser } from './browser-bench.ts';

const missing = await missingBrowser();
if (missing) console.log(`SKIPPED ${missing}`);
const pages = suite('An agent reads and operates pages');
const test = missing ? pages.skip : pages;

test('open, read, click, type: each answers with the page as it is then', () =>
  withBrowser(async ({ open, call, site }) => {
    const home = await open('/');
    assert.ok(home.ok, home.content);
    assert.match(home.content, /^Title: Home\nURL: http:\/\/127\.0\.0\.1:\d+\/\n\nWelcome/);
    assert.not.match(home.content, /invisible words/);
    assert.match(home.content, /\[e\d+\] link "The form" http:\/\/127/);
    assert.match(home.content, /\[e\d+\] button "Later" disabled/);
    assert.equal((home.data as { title: string }).title, 'Home');

    const pressed = await call('browser_click', { ref: referenceOf(home, 'Press') });
    assert.match(pressed.content, /clicked!/);
    const stale = await call('browser_click', { ref: referenceOf(home, 'Press') });
    assert.is(stale.ok, false);
    assert.match(stale.content, /There is no element e\d+ in the last view/);

    const form = await call('browser_click', { ref: referenceOf(pressed, 'The form') });
    assert.match(form.content, /textbox "Name" contains "Bob"/);
    assert.match(form.content, /checkbox "I agree" not checked/);
    assert.not.match(form.content, /hunter2/, "what a password field contains is nobody's business");
    assert.not.match(form.content, 'Refused', 'what the browser asks its maker about forms');
    const named = await call('browser_type', { ref: referenceOf(form, '"Name"'), text: 'Ada & Co' });
    const sized = await call('browser_type', { ref: referenceOf(named, '"Size"'), text: 'Large' });
    const sent = await call('browser_type', { ref: referenceOf(sized, '"Name"'), text: 'Ada', submit: true });
    assert.match(sent.content, /Title: Sent[\s\S]*name=Ada&secret=hunter2&size=Large/);
    assert.is(site.requests.filter((line) => line.includes('/sent')).length, 1);
  }));

test('frames of the page and of other origins are read and can be clicked', () =>
  withBrowser(async ({ open, call }) => {
    const frames = await open('/frames');
    assert.match(frames.content, /outer\n\n\[Frame http:\/\/127[^\]]*\/inner\]\ninner words/);
    assert.match(frames.content, /\[Frame http:\/\/localhost[^\]]*\/inner\]\ninner words/);
    const done = await call('browser_click', { ref: referenceOf(frames, 'Inside') });
    assert.match(done.content, /button "done"/);
  }));

test('a screenshot is an image when asked for, and a file when it has a path', () =>
  withBrowser(async ({ open, call, app, session }) => {
    await open('/');
    const plain = await call('browser_screenshot');
    assert.match(plain.content, /Call with include_image to see it/);
    const shown = await call('browser_screenshot', { include_image: true, path: 'shots/home.png' });
    assert.match(shown.content, /Written to shots\/home\.png/);
    const { messages = [] } = await app.detail(session.id);
    const images = messages.filter(({ role }) => role === 'tool').map((message) => message.images?.length ?? 0);
    assert.equal(images, [0, 0, 1]);
    const image = messages.findLast(({ role }) => role === 'tool')?.images?.[0];
    assert.is(image?.mimeType, 'image/png');
    const bytes = Buffer.from(image?.data ?? '', 'base64');
    assert.equal([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [1280, 800], 'its size');
    const { entries } = await app.call<{ entries: { name: string }[] }>('GET', `${session.path}/files?path=shots`, {});
    assert.equal(
      entries.map(({ name }) => name),
      ['home.png'],
    );
  }));

test('dialogs are answered, new windows and downloads are refused, and all of it is told', () =>
  withBrowser(async ({ open, call }) => {
    const dialogs = await open('/dialogs');
    assert.match(dialogs.content, /dialog \(alert, acknowledged\): first[\s\S]*dialog \(confirm, declined\): Really\?/);
    assert.match(dialogs.content, /dialog \(prompt, declined\): Your name/);
    assert.match(dialogs.content, /Title: confirmed: false/);
    const popups = await open('/popups');
    assert.match(popups.content, /another window, which was closed[\s\S]*main page/);
    const offer = await open('/offer');
    const clicked = await call('browser_click', { ref: referenceOf(offer, 'Download') });
    assert.match(clicked.content, /A download was refused: bill\.pdf/);
    const direct = await open('/file');
    assert.is(direct.ok, false);
    assert.match(direct.content, /download/i);
  }));

test('long pages are cut where the options say, and can be read on', () =>
  withBrowser(
    async ({ open, call }) => {
      const long = await open('/long');
      const shown = /(?:word )+/.exec(long.content)?.[0].length ?? 0;
      assert.ok(shown > 900 && shown <= 1_001, `${shown} characters`);
      assert.match(long.content, /\[\d+ more characters: browser_read with from 1000 goes on\]/);
      assert.is(long.content.split('\n').filter((line) => /^\[e\d+\]/.test(line)).length, 7);
      assert.match(long.content, /\[2993 more elements\]/);
      const rest = await call('browser_read', { from: 202_500 });
      assert.not.match(rest.content, /more characters/);
    },
    { browser: { maxTextChars: 1_000, maxElements: 7 } },
  ));

test('pages without end: one that never stops loading, one that grows, one that never answers', () =>
  withBrowser(
    async ({ open }) => {
      const endless = await open('/endless');
      assert.ok(endless.ok, endless.content);
      assert.match(endless.content, /still loading[\s\S]*beginning/);
      const silent = await open('/silent');
      assert.is(silent.ok, false);
      assert.match(silent.content.slice(0, 300), /^The page did not answer in time/, silent.content);
      assert.match((await open('/missing')).content, /\[The server answered with status 404\.\][\s\S]*Nothing here/);
      const growing = await open('/growing');
      assert.ok(growing.ok, growing.content);
      assert.match(growing.content, /Title: Growing/);
    },
    { browser: { timeoutMs: 1_500 } },
  ));

test('a page that hangs, or that never stops asking, is closed; the next one opens', () =>
  withBrowser(
    async ({ open, call }) => {
      const loop = await open('/loop');
      const hung = await call('browser_click', { ref: referenceOf(loop, 'Hang') });
      assert.is(hung.ok, false);
      assert.match(hung.content, /does not respond and was closed/);
      const alerts = await open('/alerts');
      const home = await open('/');
      assert.match(`${alerts.content} ### ${home.content}`, /### Title: Home/);
    },
    { browser: { timeoutMs: 2_500 } },
  ));

test('characters that nobody sees are spelled out', () =>
  withBrowser(async ({ open }) => {
    assert.match((await open('/hidden')).content, /a\\u\{202e\}b\\u\{e0041\}c/);
  }));

test('a page that replaces what looking at it uses is bounded like any other', () =>
  withBrowser(
    async ({ open }) => {
      const { ok, content, data } = await open('/liar');
      assert.ok(ok, content);
      assert.ok(content.length < 5_000, `${content.length} characters`);
      assert.ok(JSON.stringify(data).length < 5_000, `${JSON.stringify(data).length} characters of data`);
    },
    {
      browser: { maxTextChars: 1_000, maxElements: 3 },
      pages: {
        '/liar': () => `<title>Liar</title><p>words</p><a href="#">link</a><script>
          history.pushState(null, '', '#' + 'u'.repeat(500000));
          const long = 'x'.repeat(500000);
          String.prototype.slice = () => long;
          String.prototype.trim = () => long;
        </script>`,
      },
    },
  ));

pages.run();
