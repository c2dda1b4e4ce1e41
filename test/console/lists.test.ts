import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleBench, hasBrowser, holds, openSession, send, startBench, withPage } from './console-bench.ts';

const test = suite('The console: sessions, models and pages');
let bench: ConsoleBench;

test.before(async () => {
  const provider = { models: ['scripted', 'another'] };
  const triggers = { webhooks: { push: { prompt: 'Look: {{body}}', title: 'Push' } }, schedules: [] };
  bench = await startBench({ provider, settings: { plugins: { config: { triggers } } } });
});
test.after(() => bench.close());

test('sessions are found by words, renamed in place, and deleted with time to undo', async () => {
  await bench.newSession('Alpha report');
  await bench.newSession('Beta report');
  await withPage(bench, async (page) => {
    const row = (name: string) => page.locator('.session-row', { hasText: name });
    await row('Alpha report').waitFor();
    await page.getByLabel('Search sessions').fill('ALPHA rep');
    await row('Beta report').waitFor({ state: 'detached' });
    await row('Alpha report').locator('a').click();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Title').fill('Gamma report');
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'Gamma report' }).waitFor();
    await page.getByLabel('Search sessions').fill('');
    await row('Gamma report').waitFor();
    await page.getByRole('button', { name: 'Delete session' }).click();
    await row('Gamma report').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await row('Gamma report').locator('a').click();
    await page.getByRole('button', { name: 'Delete session' }).click();
    await row('Gamma report').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.waitForResponse((response) => response.request().method() === 'DELETE');
    assert.is(await page.getByRole('button', { name: 'Undo' }).count(), 0);
    const { sessions } = await bench.service.client.listSessions();
    assert.equal(
      sessions.map(({ title }) => title),
      ['Beta report'],
    );
  });
});

test('who asked for less motion sees nothing move while a run goes on', async () => {
  bench.model.reply([{ text: 'busy' }, { hold: 'motion' }]);
  bench.model.hold('motion');
  await withPage(
    bench,
    async (page) => {
      await send(page, 'work');
      await page.locator('.session-row .dot.running').waitFor();
      await page.locator('.live', { hasText: 'busy' }).waitFor();
      assert.is(await page.evaluate('document.getAnimations().length'), 0);
      bench.model.release('motion');
      await page.locator('.assistant:not(.live)', { hasText: 'busy' }).waitFor();
    },
    { reducedMotion: 'reduce' },
  );
});

test('where nothing can hover, the tools of a message are in view', async () => {
  bench.model.reply([{ text: 'An answer.' }]);
  await withPage(
    bench,
    async (page) => {
      await send(page, 'hi');
      await page.locator('.assistant:not(.live)', { hasText: 'An answer.' }).waitFor();
      const opacity = `[...document.querySelectorAll('.message-tools .button')].map((each) => getComputedStyle(each).opacity)`;
      const seen = (await page.evaluate(opacity)) as string[];
      assert.ok(seen.length > 0);
      assert.equal([...new Set(seen)], ['1']);
    },
    { viewport: { width: 1024, height: 768 }, hasTouch: true, isMobile: true },
  );
});

test('a rename that is refused because a run is active says so and keeps what was typed', async () => {
  bench.model.reply([{ text: 'busy' }, { hold: 'rename' }]);
  bench.model.hold('rename');
  await withPage(
    bench,
    async (page) => {
      await send(page, 'work');
      await page.locator('.live', { hasText: 'busy' }).waitFor();
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByLabel('Title').fill('Not now');
      await page.keyboard.press('Enter');
      await page.locator('.toast.danger').waitFor();
      assert.is(await page.getByLabel('Title').inputValue(), 'Not now');
      assert.is(await page.locator('.composer .picker select').isDisabled(), true);
      bench.model.release('rename');
      await page.locator('.assistant:not(.live)').waitFor();
    },
    { allowed: /409/ },
  );
});

test('the model of a session can be chosen and stays after a reload', async () => {
  const id = await bench.newSession('Models');
  await withPage(bench, async (page) => {
    await openSession(page, id);
    const picker = page.locator('.composer .picker select');
    assert.equal(await picker.locator('option').allTextContents(), ['scripted · 50k', 'another · 50k']);
    await picker.selectOption('another');
    await page.waitForResponse((response) => response.request().method() === 'PATCH');
    await page.reload();
    await page.locator('h1', { hasText: 'Models' }).waitFor();
    assert.is(await picker.inputValue(), 'another');
  });
});

test('everything is reachable by keyboard: palette, list, shortcuts, messages', async () => {
  await bench.newSession('Keyboard one');
  await bench.newSession('Keyboard two');
  await withPage(bench, async (page) => {
    await page.locator('.session-row', { hasText: 'Keyboard two' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('keyboard one');
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'Keyboard one' }).waitFor();
    await page.keyboard.press('Alt+ArrowUp');
    await page.locator('h1', { hasText: 'Keyboard two' }).waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    assert.is(await page.evaluate('document.activeElement.tagName'), 'TEXTAREA');
    await page.keyboard.press('Control+Shift+F');
    await page.locator('.file-tree').waitFor();
    // A Mac types another character with Alt, or none yet: an accent that waits for its letter.
    const typed = `{ key: 'Dead', code: 'KeyN', altKey: true, bubbles: true }`;
    await page.evaluate(`document.body.dispatchEvent(new KeyboardEvent('keydown', ${typed}))`);
    await page.locator('.setup').waitFor();
  });
});

test('settings show plugins with their state, and the theme is kept', async () => {
  await withPage(
    bench,
    async (page) => {
      await page.locator('[data-plugin=core-tools] .pill', { hasText: 'active' }).waitFor();
      await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'General' }).click();
      await page.getByLabel('Theme').selectOption('dark');
      assert.is(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(20, 19, 18)');
      await page.reload();
      await page.getByLabel('Theme').waitFor();
      assert.is(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(20, 19, 18)');
    },
    { hash: '#/settings/plugins' },
  );
});

test('triggers are listed and can be run at once', async () => {
  bench.model.reply([{ text: 'I looked.' }]);
  await withPage(
    bench,
    async (page) => {
      await page.getByText(/POST http.*\/api\/hooks\/push/).waitFor();
      await page.getByRole('button', { name: 'Run now' }).click();
      await page.locator('.assistant', { hasText: 'I looked.' }).waitFor();
      assert.match(await page.locator('.message.user .said').innerText(), /^Look:/);
    },
    { hash: '#/settings/triggers' },
  );
});

test('a run that ends in a hidden tab shows in the title and sends one notification, the visible session none', async () => {
  bench.model.reply([{ text: 'a' }, { hold: 'hidden' }]);
  bench.model.hold('hidden');
  await withPage(bench, async (page, context) => {
    await context.grantPermissions(['notifications']);
    await page.evaluate(`(() => {
      window.sent = [];
      window.Notification = class { static permission = 'granted'; static requestPermission = async () => 'granted';
        constructor(title, options) { window.sent.push(title + ': ' + options.body); window.last = this; } close() {} };
    })()`);
    await page.evaluate(`location.hash = '#/settings/general'`);
    await page.getByLabel('Notify me').check();
    await page.evaluate(`location.hash = '#/'`);
    await send(page, 'in the background');
    await page.locator('.live', { hasText: 'a' }).waitFor();
    const id = /s\/(ses_\w+)/.exec(page.url())?.[1] ?? '';
    await openSession(page, await bench.newSession('In front'));
    bench.model.release('hidden');
    await holds(page, `window.sent.length > 0 && document.title.startsWith('(1)')`);
    assert.equal(await page.evaluate('window.sent'), ['in the background: The run is over.']);
    await page.evaluate('window.last.onclick()');
    await page.locator('.assistant:not(.live)').waitFor();
    assert.ok(page.url().includes(id));
    bench.model.reply([{ text: 'seen' }]);
    await send(page, 'in front of you');
    await page.locator('.assistant', { hasText: 'seen' }).waitFor();
    assert.is(await page.evaluate('window.sent.length'), 1);
    assert.not.match(await page.title(), /^\(/);
  });
});

test('a title of any length leaves the buttons beside it where they are', async () => {
  const ids = [await bench.newSession('Short'), await bench.newSession('X'.repeat(200))];
  await withPage(bench, async (page) => {
    const boxes = [];
    for (const id of ids) {
      await openSession(page, id);
      await page.locator('.pill.ok').waitFor();
      boxes.push(await page.getByRole('button', { name: 'Nothing waits for you' }).boundingBox());
    }
    assert.equal(boxes[1], boxes[0]);
  });
});

if (hasBrowser()) test.run();
else suite('The console: lists, skipped').run();
