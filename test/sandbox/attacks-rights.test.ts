import * as assert from 'uvu/assert';
import { eventually } from '../helpers/within.ts';
import {
  type Attacks,
  attackSuite,
  beside,
  closed,
  hostile,
  runAttacks,
  stops,
  token,
  unconfined,
} from './attack-rig.ts';
import { extension, rootOf, stillRuns } from './bundle-folder.ts';

/** Sets the flag from somewhere and looks whether it was set. */
const flag = (code: string) =>
  `globalThis.flag = 0; ${code}; await wait(200); if (!globalThis.flag) throw new Error('it did not run')`;
const worker = (url: string, kind = 'Worker') =>
  `await new Promise((ok, no) => { const w = new ${kind}(${url}); (w.port ?? w).onmessage = ok; w.onerror = no; setTimeout(no, 2000); })`;
const blob = (code: string, type = 'text/javascript') =>
  `URL.createObjectURL(new Blob([\`${code}\`], { type: '${type}' }))`;

const rows: Record<string, Attacks> = {
  'token, cookies, storage, databases, caches and the page around it: an opaque origin': {
    parentDocument: { code: `return parent.document.title`, refused: true },
    parentLocation: { code: `return parent.location.href`, refused: true },
    parentStorage: { code: `return parent.localStorage.length`, refused: true },
    frameElement: { code: `if (!frameElement) throw new Error('no')`, refused: true },
    localStorage: { code: `return localStorage.length`, refused: true },
    sessionStorage: { code: `return sessionStorage.length`, refused: true },
    cookie: { code: `return document.cookie`, refused: true },
    cookieStore: { code: `return await cookieStore.getAll()`, refused: true },
    indexedDb: {
      code: `await new Promise((ok, no) => { const r = indexedDB.open('x'); r.onsuccess = ok; r.onerror = no; })`,
      refused: true,
    },
    caches: { code: `return await caches.keys()`, refused: true },
    fileSystem: { code: `return await navigator.storage.getDirectory()`, refused: true },
    locks: { code: `return await navigator.locks.query()`, refused: true },
    serviceWorker: { code: `return await navigator.serviceWorker.getRegistrations()`, refused: true },
    clipboard: { code: `return await navigator.clipboard.readText()`, refused: 'alone' },
    sharedWorker: {
      code: `await new Promise((ok, no) => { new SharedWorker(foreign + 'shared.js').onerror = no; setTimeout(ok, 500); })`,
      heard: '/shared.js',
      refused: true,
    },
    hub: { code: `new SharedWorker(endpoint + '/hub.worker.js')`, refused: 'alone' },
  },
  'eval, Function, wasm, inline scripts, event attributes, `javascript:`, workers, other scripts: one address may run':
    {
      eval: { code: `return (0, eval)('1')`, refused: true },
      function: { code: `return new Function('return 1')()`, refused: true },
      asyncFunction: { code: `return (async () => {}).constructor('return 1')()`, refused: true },
      timer: { code: flag(`setTimeout('globalThis.flag = 1')`), refused: true },
      wasm: { code: `return await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))`, refused: true },
      inlineScript: {
        code: flag(`document.body.append(make('script', { textContent: 'globalThis.flag = 1' }))`),
        refused: true,
      },
      eventAttribute: {
        code: flag(`document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="globalThis.flag = 1">')`),
        refused: true,
      },
      javascriptLink: {
        code: flag(
          `const a = make('a', { href: 'javascript:void(globalThis.flag = 1)' }); document.body.append(a); a.click()`,
        ),
        refused: true,
      },
      blobScript: { code: flag(`await load(make('script', { src: ${blob('globalThis.flag = 1')} }))`), refused: true },
      dataScript: {
        code: flag(`await load(make('script', { src: 'data:text/javascript,globalThis.flag=1' }))`),
        refused: true,
      },
      blobModule: { code: `await import(${blob('export default 1')})`, refused: true },
      dataModule: { code: `await import('data:text/javascript,export default 1')`, refused: true },
      importMap: {
        code: flag(
          `document.head.append(make('script', { type: 'importmap', textContent: '{"imports":{"x":"data:text/javascript,globalThis.flag=1"}}' })); await import('x')`,
        ),
        refused: true,
      },
      worker: { code: worker(blob('postMessage(1)')), refused: true },
      moduleWorker: { code: worker(`${blob('postMessage(1)')}, { type: 'module' }`), refused: true },
      dataWorker: { code: worker(`'data:text/javascript,postMessage(1)'`), refused: true },
      worklet: { code: `await CSS.paintWorklet.addModule(${blob('1')})`, refused: true },
      nextScript: { code: `await import(endpoint + '/plugins/hostile-1/other.js')`, refused: true },
      rawEntry: { code: `await import(endpoint + '/plugins/hostile-1/main.js')`, refused: true },
      foreignEntry: { code: `await import(endpoint + '/plugins/neighbour/.sandbox/main.js')`, refused: true },
    },
  'the page around it, its siblings and the history: the sandbox flag for navigation': {
    topNavigation: { code: `top.location.href = foreign + 'top'`, heard: '/top', refused: true },
    topReplace: { code: `top.location.replace(foreign + 'replaced')`, heard: '/replaced', refused: true },
    parentNavigation: { code: `parent.location.href = foreign + 'parent'`, heard: '/parent', refused: true },
    sibling: {
      code: `const others = () => Array.from({ length: parent.length }, (_, at) => parent[at]).filter((one) => one !== self); while (others().length === 0) await wait(50); others()[0].location.href = foreign + 'sibling-navigated'`,
      heard: '/sibling-navigated',
      refused: true,
    },
    back: { code: `history.back()`, refused: true },
    go: { code: `history.go(-1)`, refused: true },
    pushState: { code: `history.pushState(1, '')`, refused: true },
    navigation: { code: `await navigation.back().committed`, refused: 'alone' },
  },
};
const names = new Map(Object.keys(rows).map((row, at) => [row, `hostile-${at}`]));

/** Each on a click, because a browser allows more then. */
const onClick: Record<string, string> = {
  popup: `open(foreign + 'popup')`,
  namedPopup: `open(foreign + 'named-popup', '_top')`,
  blankLink: `const a = make('a', { href: foreign + 'blank', target: '_blank' }); document.body.append(a); a.click()`,
  topLink: `const a = make('a', { href: foreign + 'top-link', target: '_top' }); document.body.append(a); a.click()`,
  form: `const f = make('form', { action: foreign + 'form', target: '_blank' }); document.body.append(f); f.submit()`,
  download: `const a = make('a', { href: ${blob('x', 'text/plain')}, download: 'x.txt' }); document.body.append(a); a.click()`,
  alert: `alert('x')`,
  confirm: `if (confirm('x')) throw new Error('it was asked')`,
  prompt: `prompt('x')`,
  print: `let printed = false; addEventListener('beforeprint', () => { printed = true; }); print(); if (!printed) throw new Error('no')`,
  fullscreen: `await document.documentElement.requestFullscreen()`,
  pointerLock: `await document.body.requestPointerLock()`,
  picker: `await showOpenFilePicker()`,
};
/** What says of itself whether it worked; the others are seen from outside. */
const telling = ['print', 'fullscreen', 'pointerLock', 'picker'];
const clicking = (foreign: { url: string }) =>
  extension(`const foreign = ${JSON.stringify(foreign.url)}; const make = (kind, fields) => Object.assign(document.createElement(kind), fields);
    const all = { ${Object.entries(onClick).map(([name, code]) => `${name}: async () => { ${code} }`)} };
    for (const [name, attack] of Object.entries(all)) {
      const button = make('button', { textContent: name, onclick: () => attack().then(() => 'done', () => 'refused').then((how) => { button.dataset.how = how; }) });
      element.append(button);
    }`);

const test = attackSuite('A bundle has no rights', (bundles, { confined }) => {
  for (const [row, name] of names) {
    const files = { 'other.js': 'export default 1;' };
    bundles.add(name, hostile(confined, rows[row] ?? {}), { files });
  }
  bundles.add('clicks', clicking(confined));
  bundles.add('reads-all', reader);
});

for (const [row, name] of names) test(row, (rig) => stops(rig, name, rows[row] ?? {}));

const reader = extension(`
  const seen = new Set();
  const texts = [document.documentElement.outerHTML, location.href, document.referrer, name, JSON.stringify(context)];
  for (const entry of performance.getEntries()) texts.push(entry.name);
  const walk = (value, depth) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || !value || seen.has(value) || depth > 4) return void texts.push(String(value));
    seen.add(value);
    for (const key of Reflect.ownKeys(value)) try { texts.push(String(key)); walk(value[key], depth + 1); } catch {}
  };
  walk(context, 0); walk(globalThis, 0);
  element.textContent = 'read ' + texts.length + ' ' + texts.join(' ');`);

test('the token is in nothing that a bundle can read', (rig) =>
  beside(rig, ['reads-all'], async (page) => {
    const root = rootOf(page, 'reads-all').filter({ hasText: 'read' });
    await root.waitFor();
    const text = (await root.textContent()) ?? '';
    assert.ok(Number(/read (\d+)/.exec(text)?.[1]) > 1_000, text.slice(0, 100));
    assert.not.match(text, new RegExp(token));
    assert.is(
      await page.evaluate(`JSON.stringify(Object.values({ ...localStorage, ...sessionStorage })).includes('${token}')`),
      true,
    );
  }));

test('popups, forms, downloads, modals, print, fullscreen, pointer lock, also on a click: the other sandbox flags', async (rig) => {
  const { foreign, bench } = rig;
  const heard: string[] = [];
  await beside(rig, ['clicks'], async (page, { context }) => {
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => heard.push(dialog.type())));
    page.on('download', () => heard.push('download'));
    page.on('popup', () => heard.push('popup'));
    for (const name of Object.keys(onClick)) {
      const button = rootOf(page, 'clicks').getByRole('button', { name, exact: true });
      await button.click();
      await eventually(10_000, async () => (await button.getAttribute('data-how')) !== null, `the end of ${name}`);
      if (telling.includes(name)) assert.is(await button.getAttribute('data-how'), 'refused', name);
    }
    await stillRuns(page, 'neighbour');
    assert.is(context.pages().length, 1);
    assert.ok(page.url().startsWith(bench.service.url));
  });
  assert.equal(heard, []);
  assert.equal(foreign.confined.heard, []);

  const context = await bench.browser.newContext();
  for (const [name, code] of Object.entries(onClick)) {
    const page = await context.newPage();
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => heard.push(dialog.type())));
    page.on('download', () => heard.push('download'));
    page.on('popup', () => heard.push('popup'));
    page.on('filechooser', () => heard.push('picker'));
    const prepared = `document.body.style.height = '100vh'; document.body.onclick = () => { (async () => { ${code} })().then(() => 'done', String).then((how) => { document.body.dataset.how = how; }); }`;
    await unconfined(page, rig, { code: prepared });
    const body = page.frameLocator('iframe').first().locator('body');
    await body.click();
    // The picker opens for the driver of the browser, which takes it.
    const works = async () => /^done|Intercepted/.test((await body.getAttribute('data-how')) ?? '');
    if (telling.includes(name)) await eventually(10_000, works, `${name} without a sandbox`);
  }
  await eventually(
    10_000,
    () => ['alert', 'confirm', 'prompt', 'download', 'popup'].every((what) => heard.includes(what)),
    'the control',
  );
  await eventually(
    10_000,
    () =>
      ['/popup', '/blank', '/form?', '/named-popup', '/top-link'].every((path) => foreign.control.heard.includes(path)),
    'the windows of the control',
  );
  await closed(context);
});

runAttacks(test);
