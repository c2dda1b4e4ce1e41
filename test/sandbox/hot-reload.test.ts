import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleBench, hasBrowser, startBench } from '../console/console-bench.ts';
import { startProxy } from '../console/proxy.ts';
import { eventually, within } from '../helpers/within.ts';
import { type BundleFolder, bundleFolder, extension, neighbour, rootOf, stillRuns } from './bundle-folder.ts';

interface Fixture {
  bundles: BundleFolder;
  bench: ConsoleBench;
  proxy: Awaited<ReturnType<typeof startProxy>>;
}

const test = suite<Fixture>('Hot reload: a saved bundle replaces the one in every open console');
const note = (text: string) =>
  extension(
    `element.innerHTML = '<p style="margin:0;height:77px"></p>'; element.firstChild.textContent = '${text}';
    return () => console.log('cleaned up after ${text}');`,
  );

test.before(async (fixture) => {
  fixture.bundles = bundleFolder();
  fixture.bundles.add('note', note('first'));
  fixture.bundles.add('other', neighbour);
  const plugins = { directories: [fixture.bundles.directory], hotReload: true, hotReloadIntervalMs: 250, config: {} };
  fixture.bench = await startBench({ settings: { plugins } });
  fixture.proxy = await startProxy(fixture.bench.service.url);
});
test.after(async ({ bench, proxy }) => {
  await proxy.close();
  await bench.close();
});

test('over one stream for all tabs, also below the path of a proxy; others stay; heights stay; what does not work says so in its place', async ({
  bundles,
  bench,
  proxy,
}) => {
  const first = await bench.open('#/', { at: proxy.url });
  const second = await first.context.newPage();
  const said: string[] = [];
  first.page.on('console', (message) => said.push(message.text()));
  try {
    await second.goto(`${proxy.url}#/`);
    const pages = [first.page, second];
    const shows = (text: string) =>
      Promise.all(pages.map((page) => rootOf(page, 'note').filter({ hasText: text }).waitFor({ timeout: 20_000 })));
    const revisions = () =>
      first.page.locator('iframe[title="note: x"]').evaluate((frame) => new URL(Reflect.get(frame, 'src')).search);

    await within(30_000, shows('first'), 'the first revision');
    await eventually(10_000, () => proxy.bundleStreams === 1, 'one stream of saved bundles');
    const before = await revisions();
    assert.match(before, /v=[0-9a-f]{12}/);
    await first.page.evaluate(`document.querySelector('iframe[title="other: x"]').dataset.kept = 'yes'`);

    const box = `.plugin-frame:has(iframe[title="note: x"])`;
    await eventually(10_000, async () => (await first.page.locator(box).boundingBox())?.height === 77, 'the height');
    await first.page.evaluate(`(() => {
      const slot = document.querySelector('[data-slot="sidebar.footer"]');
      window.lowest = slot.offsetHeight;
      new ResizeObserver(() => { window.lowest = Math.min(window.lowest, slot.isConnected ? slot.offsetHeight : 0); }).observe(slot);
    })()`);
    const whole = await first.page.evaluate('window.lowest');

    bundles.save('note', note('second'));
    await within(30_000, shows('second'), 'the second revision');
    assert.is.not(await revisions(), before);
    assert.is(await first.page.evaluate('window.lowest'), whole, 'nothing jumped');
    assert.is(await first.page.locator('iframe[title="other: x"]').getAttribute('data-kept'), 'yes');
    await eventually(10_000, () => said.includes('cleaned up after first'), 'the cleanup');

    bundles.save('note', 'this is no module');
    for (const page of pages)
      await page.locator('.plugin-note', { hasText: 'note could not be shown' }).waitFor({ timeout: 20_000 });
    await stillRuns(first.page, 'other');

    bundles.save('note', note('third'));
    await within(30_000, shows('third'), 'the third revision');
    assert.is(await first.page.locator('.plugin-note').count(), 0);
    assert.is(proxy.allBundleStreams, 1);

    proxy.cut();
    bundles.save('note', note('while nobody looked'));
    await eventually(10_000, () => proxy.bundleStreams === 0, 'the end of the stream');
    proxy.heal();
    await within(60_000, shows('while nobody looked'), 'what was saved meanwhile');
    assert.is(proxy.bundleStreams, 1);
  } finally {
    await first.close();
  }
  await eventually(20_000, () => proxy.bundleStreams === 0, 'the end of the stream with the last tab');
});

test('manifests and server code need a restart', async ({ bundles, bench }) => {
  const { client } = bench.service;
  const webOf = async () => (await client.plugins()).plugins.find(({ id }) => id === 'other')?.web;
  const before = await webOf();
  assert.match(before?.entry ?? '', /main\.js$/);
  const file = (name: string) => join(bundles.directory, 'other', name);
  writeFileSync(
    file('service.plugin.json'),
    JSON.stringify({ name: 'other', version: '2.0.0', main: 'index.mjs', web: 'next.js' }),
  );
  writeFileSync(file('index.mjs'), `throw new Error('it was loaded again');`);
  bundles.save('other', neighbour.replace('alive', 'alive and'));
  await eventually(10_000, async () => (await webOf())?.revision !== before?.revision, 'the next revision');
  assert.equal({ ...(await webOf()), revision: '' }, { ...before, revision: '' });
  assert.not.match(bench.service.output(), /it was loaded again/);
  bundles.add('other', neighbour);
});

test('without it no stream is opened', async ({ bench, proxy }) => {
  await bench.service.stop();
  await bench.restart({ env: { SERVICE_HOT_RELOAD: 'false' } });
  const { page, close } = await bench.open('#/', { at: proxy.url });
  try {
    const before = proxy.allBundleStreams;
    await stillRuns(page, 'other');
    assert.is(proxy.allBundleStreams, before);
  } finally {
    await close();
  }
});

if (hasBrowser()) test.run();
