import { eventually } from '../helpers/within.ts';
import { attackSuite, runAttacks, runIn, withControl } from './attack-rig.ts';
import { extension, neighbour, stillRuns, withOnly } from './bundle-folder.ts';

/** So that it is eaten soon. */
const memory = '--js-flags=--max-old-space-size=256';
const hog = 'const all = []; for (;;) all.push(new Array(1e6).fill(all.length + 0.5));';

const test = attackSuite(
  'A bundle that eats all memory takes nobody with it',
  (bundles) => {
    bundles.add('a-neighbour', neighbour);
    bundles.add('b-hogs', extension(`setTimeout(() => { ${hog} }, 1500);`));
  },
  { server: {}, browserArgs: [memory] },
);

test('a bundle that eats all memory loses its process; the console and the others go on', (fixture) =>
  withOnly(fixture, { names: ['a-neighbour', 'b-hogs'] }, async (page) => {
    await stillRuns(page, 'a-neighbour', 40_000);
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

test('in an ordinary frame it takes the page with it', (rig) =>
  withControl(rig, async (page) => {
    const crash = page.waitForEvent('crash', { timeout: 40_000 });
    await runIn(page, rig, { code: `setTimeout(() => { ${hog} })` });
    await crash;
  }));

runAttacks(test);
