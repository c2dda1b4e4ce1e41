import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { slots } from '../../public/sandbox/protocol.ts';
import { type ConsoleBench, hasBrowser, openSession, send, startBench } from '../console/console-bench.ts';
import { eventually } from '../helpers/within.ts';
import {
  type BundleFolder,
  bundleFolder,
  extension,
  neighbour,
  rootOf,
  stateOf,
  stillRuns,
  withOnly,
} from './bundle-folder.ts';

interface Fixture {
  bundles: BundleFolder;
  bench: ConsoleBench;
}

const test = suite<Fixture>('Plugin browser bundles (contract for plugin authors)');
const dump = `element.textContent = JSON.stringify(context, (key, value) => (typeof value === 'function' ? 'function' : value));`;

test.before(async (fixture) => {
  const bundles = bundleFolder();
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
  bundles.add(
    'dumps',
    `export default (api) => {
    const more = { 'file.viewer': { extensions: ['dump'] } };
    for (const slot of ${JSON.stringify(slots)}) api.register({ id: slot, slot, match: more[slot], mount(element, context) { ${dump} } });
  };`,
  );
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
  bundles.add('may-send', extension(dump, { slot: 'composer.actions' }), {
    web: { capabilities: ['composer.submit', 'moon.landing'] },
  });
  bundles.add(
    'sends-itself',
    extension(
      `element.textContent = 'waits'; for (const text of ['  ', 'unasked words', 'more words']) context.composer.submit(text);`,
      { slot: 'composer.actions' },
    ),
    { web: { capabilities: ['composer.submit'] } },
  );
  bundles.add(
    'sends-on-click',
    extension(
      `const button = document.createElement('button'); button.textContent = 'go'; element.append(button);
    button.onclick = () => { for (const text of ['\\n', 'asked ' + 'x'.repeat(100_000), 'again']) context.composer.submit(text); };`,
      { slot: 'composer.actions' },
    ),
    { web: { capabilities: ['composer.submit'] } },
  );
  bundles.add('themed', extension(`element.innerHTML = '<p style="height:123px;margin:0">x</p>';`));
  bundles.add(
    'throws-often',
    extension(
      `element.textContent = 'alive'; let n = 0; setInterval(() => { n++; if (n < 20) throw new Error('it broke ' + (n % 3)); element.textContent = 'threw'; }, 50);`,
    ),
  );
  bundles.add(
    'bad-viewer',
    extension(`throw new Error('no table');`, { slot: 'file.viewer', more: `match: { extensions: ['bad'] },` }),
  );
  bundles.add('everywhere', extension(`element.textContent = 'alive';`, { slot: 'message.after' }));
  fixture.bundles = bundles;
  fixture.bench = await startBench({ settings: { plugins: { directories: [bundles.directory], config: {} } } });
});
test.after(({ bench }) => bench.close());

const contextIn = async (page: Page, title: string): Promise<Record<string, unknown>> => {
  const root = page.frameLocator(`iframe[title="${title}"]`).first().locator('#root').filter({ hasText: '{' });
  await root.first().waitFor({ timeout: 40_000 });
  return JSON.parse(await root.first().innerText());
};

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

test('`composer.submit`: with the capability `context.composer` is there; unknown capabilities are dropped with a warning', async (fixture) => {
  const id = await fixture.bench.newSession('Composer');
  await withOnly(fixture, { names: ['may-send'], hash: `#/s/${id}` }, async (page) => {
    const { composer, payload } = await contextIn(page, 'may-send: x');
    assert.equal(
      { composer, payload },
      { composer: { submit: 'function' }, payload: { composer: { submit: 'function' } } },
    );
  });
  assert.match(fixture.bench.service.output(), /moon\.landing/);
  assert.not.match(JSON.stringify(await fixture.bench.service.client.plugins()), /moon\.landing/);
});

test('`submit` on a click sends at once, ignores blank text, caps at 100,000 characters, once in two seconds', async (fixture) => {
  const id = await fixture.bench.newSession('Clicks');
  await withOnly(fixture, { names: ['sends-on-click'], hash: `#/s/${id}` }, async (page) => {
    await rootOf(page, 'sends-on-click').getByRole('button').click({ timeout: 40_000 });
    await page.locator('.toast', { hasText: 'sends-on-click sent a message' }).waitFor({ timeout: 40_000 });
    const { messages } = await fixture.bench.service.client.listMessages(id);
    const said = messages
      .filter(({ role }) => role === 'user')
      .map(({ content }) => [content.slice(0, 7), content.length]);
    assert.equal(said, [['asked x', 100_000]]);
  });
});

test('`submit` without a click asks the person first', async (fixture) => {
  const id = await fixture.bench.newSession('Unasked');
  const said = async () => (await fixture.bench.service.client.listMessages(id)).messages.map(({ content }) => content);
  await withOnly(fixture, { names: ['sends-itself'], hash: `#/s/${id}` }, async (page) => {
    const toast = page.locator('.toast', { hasText: 'sends-itself wants to send: unasked words' });
    await toast.waitFor({ timeout: 40_000 });
    assert.is(await page.locator('.toast', { hasText: 'more words' }).count(), 0);
    assert.equal(await said(), []);
    await toast.getByRole('button', { name: 'Send' }).click();
    await page.locator('.message.user .said', { hasText: 'unasked words' }).waitFor({ timeout: 40_000 });
  });
});

test('`file.viewer` replaces the preview; a Source tab stays; a viewer that fails gives way to the source', async (fixture) => {
  const { bench } = fixture;
  const id = await bench.newSession('Viewers');
  writeFileSync(join(bench.service.workspace, 'b.dump'), 'the text of b');
  writeFileSync(join(bench.service.workspace, 'c.bad'), 'the text of c');
  await withOnly(fixture, { names: ['dumps', 'bad-viewer'], hash: `#/s/${id}/files/b.dump` }, async (page) => {
    await contextIn(page, 'dumps: file.viewer');
    assert.is(await page.locator('.file-body', { hasText: 'the text of b' }).locator('.source').count(), 0);
    await page.getByRole('button', { name: 'Source' }).click();
    await page.locator('.file-body', { hasText: 'the text of b' }).waitFor();
    assert.is(await page.locator('iframe[title="dumps: file.viewer"]').count(), 0);
    await page.evaluate(`location.hash = '#/s/${id}/files/c.bad'`);
    await page.getByText("The plugin's viewer failed; this is the source.").waitFor({ timeout: 40_000 });
    await page.locator('.file-body', { hasText: 'the text of c' }).waitFor();
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
