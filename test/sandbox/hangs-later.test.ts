import * as assert from 'uvu/assert';
import { within } from '../helpers/within.ts';
import { attackSuite, runAttacks, runIn, sideBySide, withControl } from './attack-rig.ts';
import { extension, neighbour, rootOf, stateOf, stillRuns, withOnly } from './bundle-folder.ts';

const loop = 'for (;;);';

/** It computes for nine seconds when it is mounted for the first time ever. */
const stalling = extension(`
  const { times } = await context.request('/api/stalls');
  element.textContent = 'alive for the ' + times + '. time';
  if (times === 1) setTimeout(() => { const end = Date.now() + 9000; while (Date.now() < end); }, 1500);`);
const counting = `let times = 0; export default { apply({ use }) {
  use('http.routes').register({ method: 'GET', path: '/api/stalls', public: true, handler: () => ({ body: { times: ++times } }) });
} };`;

const test = attackSuite(
  'A bundle that hangs after it was discovered is found and stopped, and the others run on',
  (bundles) => {
    bundles.add('a-neighbour', neighbour);
    bundles.add('b-mounts-forever', extension(loop));
    bundles.add(
      'b-loops-later',
      extension(`addEventListener('pagehide', () => {}); setTimeout(() => { ${loop} }, 1500);`),
    );
    bundles.add('b-stalls-once', stalling, { server: counting });
    bundles.add('z-neighbour', neighbour);
  },
  { server: {} },
);

sideBySide(test, {
  'a loop while it mounts is not blamed on the one that is discovered meanwhile': (fixture) =>
    withOnly(fixture, { names: ['a-neighbour', 'b-mounts-forever', 'z-neighbour'] }, async (page) => {
      await stateOf(page, 'b-mounts-forever', 'quarantined').waitFor({ timeout: 90_000 });
      await stillRuns(page, 'z-neighbour', 40_000);
      await stillRuns(page, 'a-neighbour', 40_000);
      assert.is(await page.locator('[data-bundle-state="quarantined"]').count(), 1);
      assert.is(await page.locator('iframe[title="b-mounts-forever: x"]').count(), 0);
    }),

  'a loop that begins later': (fixture) =>
    withOnly(fixture, { names: ['a-neighbour', 'b-loops-later'] }, async (page) => {
      await stateOf(page, 'b-loops-later', 'quarantined').waitFor({ timeout: 90_000 });
      await stillRuns(page, 'a-neighbour', 40_000);
      assert.is(await stateOf(page, 'a-neighbour', 'ready').count(), 1);
    }),

  'frames that stand still once: all come back, and nobody is stopped for it': (fixture) =>
    withOnly(fixture, { names: ['a-neighbour', 'b-stalls-once', 'z-neighbour'] }, async (page) => {
      await rootOf(page, 'b-stalls-once').filter({ hasText: 'alive for the 1. time' }).waitFor({ timeout: 40_000 });
      await rootOf(page, 'b-stalls-once').filter({ hasText: 'alive for the 2. time' }).waitFor({ timeout: 60_000 });
      await stillRuns(page, 'a-neighbour', 40_000);
      await stillRuns(page, 'z-neighbour', 40_000);
      assert.is(await page.locator('[data-bundle-state="ready"]').count(), 3);
    }),
});

test('the same loop in an ordinary frame stops the page around it', (rig) =>
  withControl(rig, async (page) => {
    await runIn(page, rig, { code: `setTimeout(() => { ${loop} })` });
    const answer = within(2_000, page.evaluate('1'), 'the page').catch(() => 'none');
    assert.is(await answer, 'none');
  }));

runAttacks(test);
