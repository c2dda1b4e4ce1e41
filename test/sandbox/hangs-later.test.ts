import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleBench, hasBrowser, startBench } from '../console/console-bench.ts';
import {
  type BundleFolder,
  bundleFolder,
  extension,
  neighbour,
  stateOf,
  stillRuns,
  withOnly,
} from './bundle-folder.ts';

interface Fixture {
  bundles: BundleFolder;
  bench: ConsoleBench;
}

const test = suite<Fixture>('A bundle that hangs after it was discovered is found and stopped, and the others run on');
const loop = 'for (;;);';

test.before(async (fixture) => {
  const bundles = bundleFolder();
  bundles.add('a-neighbour', neighbour);
  bundles.add('b-mounts-forever', extension(loop));
  bundles.add(
    'b-loops-later',
    extension(`addEventListener('pagehide', () => {}); setTimeout(() => { ${loop} }, 1500);`),
  );
  bundles.add('z-neighbour', neighbour);
  fixture.bundles = bundles;
  fixture.bench = await startBench({
    settings: { plugins: { directories: [bundles.directory], config: {} } },
    browserArgs: ['--js-flags=--max-old-space-size=256'],
  });
});
test.after(({ bench }) => bench.close());

test('a loop while it mounts is not blamed on the one that is discovered meanwhile', (fixture) =>
  withOnly(fixture, { names: ['a-neighbour', 'b-mounts-forever', 'z-neighbour'] }, async (page) => {
    await stateOf(page, 'b-mounts-forever', 'quarantined').waitFor({ timeout: 90_000 });
    await stillRuns(page, 'z-neighbour');
    await stillRuns(page, 'a-neighbour');
    assert.is(await page.locator('[data-bundle-state="quarantined"]').count(), 1);
    assert.is(await page.locator('iframe[title="b-mounts-forever: x"]').count(), 0);
  }));

test('a loop that begins later', (fixture) =>
  withOnly(fixture, { names: ['a-neighbour', 'b-loops-later'] }, async (page) => {
    await stateOf(page, 'b-loops-later', 'quarantined').waitFor({ timeout: 60_000 });
    await stillRuns(page, 'a-neighbour');
    assert.is(await stateOf(page, 'a-neighbour', 'ready').count(), 1);
  }));

if (hasBrowser()) test.run();
