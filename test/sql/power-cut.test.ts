import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { actAsChild } from '../torture/kill/child.ts';
import { cutPower, noPowerCuts } from '../torture/kill/power-cut.ts';

if (process.argv[2] === 'child') await actAsChild(process.argv.slice(3));

/** POWER_CUTS runs the rig longer. */
const cuts = Number(process.env.POWER_CUTS ?? 3);
const seed = Number(process.env.POWER_CUT_SEED ?? Date.now() % 1e9);
const test = suite('a power cut');

const why = noPowerCuts();
if (why) console.log(`SKIPPED the power cuts: ${why}`);

for (const driver of ['file', 'sql'])
  test(`loses nothing that the ${driver} driver acknowledged, and it opens again every time`, async () => {
    if (why) return;
    const { cycles, acknowledged, violations } = await cutPower([driver], { seed, goesOn: (cycles) => cycles < cuts });
    console.log(`\n${cycles} power cuts of ${driver} (seed ${seed}), ${acknowledged} changes acknowledged`);
    assert.equal(violations, []);
    assert.ok(acknowledged > cycles, 'the power was cut before anything was acknowledged: the rig shows nothing');
  });

test('loses data without durability: the rig is able to see it', async () => {
  if (why) return;
  const { violations } = await cutPower(['sql', 'false'], { seed, goesOn: (cycles) => cycles < 5 });
  console.log(`\nwithout durability: ${violations.length} problems, for example: ${violations[0]}`);
  assert.ok(violations.length > 0);
});

test.run();
