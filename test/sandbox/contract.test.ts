import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { hasBrowser, openSession, send } from '../console/console-bench.ts';
import { eventually } from '../helpers/within.ts';
import { extension, neighbour, rootOf, withOnly } from './bundle-folder.ts';
import { bundleSuite, contextIn, dumps } from './scenery.ts';

const test = bundleSuite('Plugin browser bundles (contract for plugin authors)', (bundles) => {
  bundles.add('neighbour', neighbour);
  bundles.add(
    'counts',
    `export default function activate(api) {
    new Image().src = api.context.endpoint + '/plugins/counts/activated.png';
    for (const id of ['one', 'two']) api.register({ id, slot: 'sidebar.footer', mount(element) { element.textContent = 'alive'; } });
  }`,
  );
  bundles.add(
    'orders',
    `export default (api) => {
    const mount = (element) => { element.textContent = 'x'; };
    api.register({ id: 'last', slot: 'sidebar.footer', order: 101, mount });
    api.register({ id: 'default', slot: 'sidebar.footer', mount });
    api.register({ id: 'first', slot: 'sidebar.footer', order: 99, mount });
  };`,
  );
  bundles.add('dumps', dumps);
  const clean = `element.textContent = 'alive'; return () => console.log('cleaned up ' + context.sessionId);`;
  bundles.add('cleans', extension(clean, { slot: 'session.header' }));
  bundles.add(
    'for-users',
    extension(`element.textContent = context.message.content;`, {
      slot: 'message.after',
      more: `match: { roles: ['user'] },`,
    }),
  );
  bundles.add(
    'for-tools',
    extension(`element.textContent = context.message.toolCalls.map(({ name }) => name).join();`, {
      slot: 'message.after',
      more: `match: { toolNames: ['list_files'] },`,
    }),
  );
});

/** The sentences of the contract, each with the tests that hold it. */
const sentences: readonly [sentence: string, ...tests: [file: string, title: string][]][] = [
  [
    '`web` is an object or a string',
    ['plugins/manifest', 'a bare string means the entry'],
    ['plugins/manifest', 'an object carries'],
  ],
  [
    'paths stay below `web/`',
    ['plugins/manifest', 'is dropped with a warning'],
    ['plugins/web-assets', 'nothing outside web/'],
  ],
  ['a missing entry leaves the plugin active', ['plugins/web-assets', 'a missing entry leaves the plugin active']],
  ['`activate` runs twice', ['sandbox/contract', 'activation runs once in a discovery pass']],
  ['discovery has five seconds', ['sandbox/hangs-at-first', 'an endless loop ends after five seconds']],
  ['`id` is unique', ['sandbox/rules', 'with the id of another']],
  ['`order`', ['sandbox/contract', '`order`: lower first'], ['sandbox/rules', 'lower order first']],
  [
    '`match`',
    ['sandbox/contract', 'matched by role and by tool'],
    ['sandbox/rules', 'file.viewer matches by extension'],
  ],
  [
    '`mount` may return a cleanup',
    ['sandbox/hot-reload', 'over one stream'],
    ['sandbox/contract', 'is called when its place goes'],
  ],
  ['slots and their payloads', ['sandbox/slots', 'every slot'], ['sandbox/rules', 'no session and no payload']],
  ['`message.after` waits for the turn', ['sandbox/contract', 'mounted only after the turn completes']],
  ['`file.viewer` replaces the preview', ['sandbox/contract-composer', '`file.viewer` replaces']],
  ['context', ['sandbox/contract', 'context: `plugin`'], ['sandbox/rules', 'without the bytes of its images']],
  ['`request` is proxied', ['sandbox/proxy', 'the promise resolves'], ['sandbox/proxy', 'non-2xx rejects']],
  ['only method, headers and a string cross', ['sandbox/grants', 'Only method, plain headers and a string body cross']],
  ['discovery can not call', ['sandbox/attacks-api', 'calls while it is discovered']],
  ['grants', ['sandbox/grants', '`*` matches one'], ['sandbox/grants', '`**` matches the rest']],
  ['omitting `api`, and `[]`', ['sandbox/grants', 'omitting `api`'], ['sandbox/grants', '`[]` denies all']],
  ['method and path', ['sandbox/grants', 'the method is case-insensitive'], ['sandbox/grants', 'Paths are normalised']],
  ['a denied call says why', ['sandbox/grants', 'a denied call fails'], ['sandbox/slots', 'may not call POST']],
  [
    '`composer.submit`',
    ['sandbox/contract-composer', 'with the capability'],
    ['sandbox/contract', 'without the capability'],
  ],
  ['`submit` ignores and caps', ['sandbox/contract-composer', 'ignores blank text, caps at 100,000']],
  ['unknown capabilities', ['plugins/manifest', 'unknown capabilities are dropped']],
  ['512,000 characters', ['sandbox/rules', 'clipped to 512,000'], ['sandbox/contract', '512_000']],
  [
    'the frame and its policy',
    ['sandbox/contract-frames', 'the frame: `sandbox'],
    ['sandbox/document', 'nothing can connect'],
  ],
  [
    'what may be loaded',
    ['sandbox/contract-frames', 'images from `data:`'],
    ['sandbox/attacks-rights', 'one address may run'],
  ],
  ['height and custom properties', ['sandbox/contract-frames', 'as high as its content, with the custom properties']],
  [
    'failures are reported once',
    ['sandbox/contract-frames', 'failures are reported once'],
    ['sandbox/slots', 'registers nothing'],
  ],
  ['hot reload', ['plugins/web-assets', 'first `ready`, then one frame'], ['sandbox/hot-reload', 'over one stream']],
  ['hot reload is off by default', ['config/load-config', "'plugins.hotReload': false"]],
  ['manifests and server code need a restart', ['sandbox/hot-reload', 'manifests and server code']],
];

for (const [sentence, ...tests] of sentences)
  test(`held by a test: ${sentence}`, () => {
    for (const [file, title] of tests) assert.ok(testsIn(file).includes(title), `${file}: ${title}`);
  });

test("activation runs once in a discovery pass and again in each extension's iframe", (fixture) =>
  withOnly(fixture, { names: ['counts'], hash: '#/nowhere' }, async (page) => {
    let activated = 0;
    page.on('request', (request) => {
      if (request.url().includes('activated.png')) activated++;
    });
    await page.reload();
    for (const id of ['one', 'two'])
      await page
        .frameLocator(`iframe[title="counts: ${id}"]`)
        .locator('#root', { hasText: 'alive' })
        .waitFor({ timeout: 40_000 });
    await eventually(10_000, () => activated === 3, 'three activations');
  }));

test('`order`: lower first, default 100', (fixture) =>
  withOnly(fixture, { names: ['orders'] }, async (page) => {
    await page.locator('iframe[title="orders: last"]').waitFor({ timeout: 40_000 });
    const titles = await page
      .locator('[data-slot="sidebar.footer"] iframe')
      .evaluateAll((all) => all.map((one) => one.getAttribute('title')));
    assert.equal(titles, ['orders: first', 'orders: default', 'orders: last']);
  }));

test('context: `plugin`, `endpoint`, `sessionId` where the slot has one, `payload`, `message`, `file`, `request`', async (fixture) => {
  const { bench } = fixture;
  const id = await bench.newSession('Contexts');
  const plugin = { id: 'dumps', name: 'dumps', version: '1.0.0' };
  const always = { plugin, endpoint: new URL(bench.service.url).origin, request: 'function' };
  writeFileSync(join(bench.service.workspace, 'a.dump'), 'x'.repeat(600_000));
  await withOnly(fixture, { names: ['dumps'] }, async (page) => {
    assert.equal(await contextIn(page, 'dumps: sidebar.footer'), always);
    assert.equal(await contextIn(page, 'dumps: settings.section'), always);
    await openSession(page, id);
    assert.equal(await contextIn(page, 'dumps: session.header'), { ...always, sessionId: id });
    assert.equal(
      await contextIn(page, 'dumps: composer.actions'),
      { ...always, sessionId: id },
      'without the capability `composer` is absent',
    );
    await send(page, 'hello');
    const { message, payload, ...rest } = await contextIn(page, 'dumps: message.after');
    assert.equal(rest, { ...always, sessionId: id });
    assert.equal(payload, { message });
    assert.equal(Object.keys(Object(message)).sort(), ['content', 'createdAt', 'id', 'role']);
    await page.evaluate(`location.hash = '#/s/${id}/files/a.dump'`);
    const { file, ...others } = await contextIn(page, 'dumps: file.viewer');
    assert.equal(others, { ...always, sessionId: id, payload: { file } });
    const { content, ...fields } = Object(file);
    assert.is(content.length, 512_000);
    assert.equal(fields, {
      path: 'a.dump',
      name: 'a.dump',
      size: 600_000,
      mimeType: fields.mimeType,
      encoding: 'utf8',
      truncated: true,
      binary: false,
      lines: 1,
    });
  });
});

test('`message.after`: matched by role and by tool, mounted only after the turn completes', async (fixture) => {
  const { bench } = fixture;
  const id = await bench.newSession('Turns');
  bench.model.hold('middle');
  bench.model.reply([{ toolCall: { name: 'list_files', arguments: {} } }], [{ text: 'listed' }, { hold: 'middle' }]);
  await withOnly(fixture, { names: ['for-users', 'for-tools'], hash: `#/s/${id}` }, async (page) => {
    await send(page, 'list them');
    await page.locator('.live', { hasText: 'listed' }).waitFor({ timeout: 40_000 });
    assert.is(await page.locator('[data-slot="message.after"]').count(), 0);
    bench.model.release('middle');
    await rootOf(page, 'for-users').filter({ hasText: 'list them' }).waitFor({ timeout: 40_000 });
    await rootOf(page, 'for-tools').filter({ hasText: 'list_files' }).waitFor({ timeout: 40_000 });
    assert.is(await page.locator('[data-slot="message.after"] iframe').count(), 2);
  });
});

test('the cleanup that `mount` returned is called when its place goes', async (fixture) => {
  const id = await fixture.bench.newSession('Cleanup');
  await withOnly(fixture, { names: ['cleans'], hash: `#/s/${id}` }, async (page) => {
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    await rootOf(page, 'cleans').filter({ hasText: 'alive' }).waitFor({ timeout: 40_000 });
    await page.evaluate(`location.hash = '#/settings/plugins'`);
    await eventually(10_000, () => said.includes(`cleaned up ${id}`), 'the cleanup');
    assert.is(said.filter((text) => text.startsWith('cleaned up')).length, 1);
  });
});

/** The text of a file of tests, without the table above. */
function testsIn(file: string): string {
  const text = readFileSync(`test/${file}.test.ts`, 'utf8');
  return text.slice(Math.max(0, text.indexOf('for (const [sentence')));
}

if (hasBrowser()) test.run();
