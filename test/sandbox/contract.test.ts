import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { hasBrowser, openSession, send } from '../console/console-bench.ts';
import { eventually } from '../helpers/within.ts';
import { extension, neighbour, rootOf, stateOf, stillRuns, withOnly } from './bundle-folder.ts';
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
  bundles.add('themed', extension(`element.innerHTML = '<p style="height:123px;margin:0">x</p>';`));
  bundles.add(
    'throws-often',
    extension(
      `element.textContent = 'alive'; let n = 0; setInterval(() => { n++; if (n < 20) throw new Error('it broke ' + (n % 3)); element.textContent = 'threw'; }, 50);`,
    ),
  );
  bundles.add('everywhere', extension(`element.textContent = 'alive';`, { slot: 'message.after' }));
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

test('the frame: `sandbox=allow-scripts`, as high as its content, with the custom properties of the console, also after they change', (fixture) =>
  withOnly(fixture, { names: ['themed'] }, async (page) => {
    const frame = page.locator('iframe[title="themed: x"]');
    await rootOf(page, 'themed').locator('p').waitFor({ timeout: 40_000 });
    assert.is(await frame.getAttribute('sandbox'), 'allow-scripts');
    assert.is(await frame.getAttribute('allow'), '');
    assert.is(await frame.getAttribute('referrerpolicy'), 'no-referrer');
    await eventually(10_000, async () => (await frame.boundingBox())?.height === 123, 'the height of the content');
    const look = `(() => { const style = getComputedStyle(document.documentElement); return [style.getPropertyValue('--accent').trim(), style.getPropertyValue('--bg').trim(), style.colorScheme].join(); })()`;
    const inside = () => page.frameLocator('iframe[title="themed: x"]').locator('html').evaluate(look);
    const before = await page.evaluate(look);
    assert.is(await inside(), before);
    await page.evaluate(`document.documentElement.dataset.theme = 'dark'`);
    assert.is.not(await page.evaluate(look), before);
    await eventually(
      10_000,
      async () => (await inside()) === (await page.evaluate(look)),
      'the dark theme in the frame',
    );
  }));

test('failures are reported once and do not affect others', (fixture) =>
  withOnly(fixture, { names: ['throws-often', 'neighbour'] }, async (page) => {
    await page.evaluate(
      `window.toasts = new Set(); new MutationObserver(() => { for (const one of document.querySelectorAll('.toast')) toasts.add(one); }).observe(document.body, { childList: true, subtree: true });`,
    );
    await rootOf(page, 'throws-often').filter({ hasText: 'threw' }).waitFor({ timeout: 40_000 });
    assert.ok(
      Number(await page.evaluate(`Math.max(toasts.size, document.querySelectorAll('.toast').length)`)) <= 1,
      'one toast for one kind',
    );
    await eventually(
      10_000,
      async () => (await page.locator('[data-plugin="throws-often"] .problem').count()) === 3,
      'each cause on the page of plugins',
    );
    await stillRuns(page, 'neighbour');
    await stateOf(page, 'throws-often', 'ready').waitFor();
  }));

test('at most twelve frames of `message.after` live; the others keep their place', async (fixture) => {
  const { bench } = fixture;
  const id = await bench.newSession('Many');
  for (let at = 0; at < 9; at++) await bench.service.client.sendAndWait(id, `message ${at}`);
  await withOnly(fixture, { names: ['everywhere'], hash: `#/s/${id}` }, async (page) => {
    await page.setViewportSize({ width: 1200, height: 3_000 });
    await eventually(
      40_000,
      async () => (await page.locator('[data-slot="message.after"]').count()) === 18,
      'eighteen places',
    );
    const frames = page.locator('[data-slot="message.after"] iframe');
    await eventually(40_000, async () => (await frames.count()) === 12, 'twelve frames');
    await page
      .frameLocator('[data-slot="message.after"] iframe >> nth=0')
      .locator('#root', { hasText: 'alive' })
      .waitFor({ timeout: 40_000 });
    assert.is(await frames.count(), 12);
  });
});

if (hasBrowser()) test.run();
