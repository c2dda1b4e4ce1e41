import * as assert from 'uvu/assert';
import { attackSuite, runAttacks } from './attack-rig.ts';
import { extension, neighbour, stateOf, stillRuns, withOnly } from './bundle-folder.ts';

const loop = 'for (;;);';

const test = attackSuite(
  'A bundle that hangs after it was discovered is found and stopped, and the others run on',
  (bundles) => {
    bundles.add('a-neighbour', neighbour);
    bundles.add('b-mounts-forever', extension(loop));
    bundles.add(
      'b-loops-later',
      extension(`addEventListener('pagehide', () => {}); setTimeout(() => { ${loop} }, 1500);`),
    );
    bundles.add('z-neighbour', neighbour);
  },
  { server: {} },
);

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

runAttacks(test);
