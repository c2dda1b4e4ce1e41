import * as assert from 'uvu/assert';
import { attackSuite, type Rig, runAttacks, sideBySide } from './attack-rig.ts';
import { extension, neighbour, rootOf, stateOf, stillRuns, withOnly } from './bundle-folder.ts';

const loop = 'for (;;);';

const test = attackSuite(
  'A bundle that hangs while it is discovered harms nobody',
  (bundles) => {
    bundles.add('a-neighbour', neighbour);
    bundles.add('b-loops', loop);
    bundles.add('b-clings', `addEventListener('pagehide', () => {}); addEventListener('unload', () => {}); ${loop}`);
    bundles.add('b-waits', 'await new Promise(() => {});');
    bundles.add('c-never-settles', extension(`element.textContent = 'alive'; await new Promise(() => {});`));
    bundles.add('z-neighbour', neighbour);
  },
  { server: {} },
);

const endsAfterFive = (name: string) => (fixture: Rig) =>
  withOnly(fixture, { names: ['a-neighbour', name, 'z-neighbour'] }, async (page) => {
    await stateOf(page, name, 'failed').waitFor({ timeout: 60_000 });
    await stillRuns(page, 'z-neighbour', 40_000);
    await stillRuns(page, 'a-neighbour', 40_000);
    assert.is(await stateOf(page, 'a-neighbour', 'ready').count(), 1);
    assert.match(await page.locator(`[data-plugin="${name}"] .problem`).innerText(), /within 5 seconds/);
  });

sideBySide(test, {
  'an endless loop ends after five seconds, and neither those before nor those after it suffer':
    endsAfterFive('b-loops'),
  'also when it asks to hear of its end, which keeps its process alive': endsAfterFive('b-clings'),
  'a promise that never settles costs the others nothing': (fixture) =>
    withOnly(fixture, { names: ['a-neighbour', 'b-waits', 'c-never-settles'] }, async (page) => {
      await stillRuns(page, 'a-neighbour', 40_000);
      await page.evaluate(`document.querySelector('iframe[title="a-neighbour: x"]').dataset.kept = 'yes'`);
      await stateOf(page, 'b-waits', 'failed').waitFor({ timeout: 60_000 });
      await rootOf(page, 'c-never-settles').filter({ hasText: 'alive' }).waitFor();
      assert.is(await page.locator('iframe[title="a-neighbour: x"]').getAttribute('data-kept'), 'yes');
    }),
});

runAttacks(test);
