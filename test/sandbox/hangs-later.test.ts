import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleBench, hasBrowser, startBench } from '../console/console-bench.ts';
import { eventually } from '../helpers/within.ts';
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
const hog = 'const all = []; for (;;) all.push(new Array(1e6).fill(all.length + 0.5));';

test.before(async (fixture) => {
  const bundles = bundleFolder();
  bundles.add('a-neighbour', neighbour);
  bundles.add('b-mounts-forever', extension(loop));
  bundles.add(
    'b-loops-later',
    extension(`addEventListener('pagehide', () => {}); setTimeout(() => { ${loop} }, 1500);`),
  );
  bundles.add('b-hogs', extension(`setTimeout(() => { ${hog} }, 1500);`));
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

test('a bundle that eats all memory loses its process; the console and the others go on', (fixture) =>
  withOnly(fixture, { names: ['a-neighbour', 'b-hogs'] }, async (page) => {
    await stillRuns(page, 'a-neighbour');
    // When a frame crashes playwright gives the whole page up, so the page itself says what becomes of it.
    await page.evaluate(`setInterval(() => {
      const quarantined = document.querySelector('[data-plugin="b-hogs"] [data-bundle-state="quarantined"]');
      const frame = document.querySelector('iframe[title="a-neighbour: x"]');
      const says = quarantined && frame ? 'only the hog is gone' : 'not yet';
      if (says !== window.said) fetch('api/sessions', { method: 'POST', body: JSON.stringify({ title: says }) });
      window.said = says;
    }, 200)`);
    await eventually(
      60_000,
      async () => (await fixture.bench.service.client.listSessions()).sessions.some(({ title }) => /only/.test(title)),
      'the word of the page',
    );
  }));

if (hasBrowser()) test.run();
