import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { actAsChild } from '../torture/kill/child.ts';
import { failpoints } from '../torture/kill/failpoints.ts';
import { killFile } from '../torture/kill/kill-file.ts';

if (process.argv[2] === 'child') await actAsChild(process.argv.slice(3));

const test = suite('a process that is killed loses nothing that it acknowledged');

/** One kill at every failpoint, however long that takes; 200 kills in CI. STORE_KILL_SECONDS runs the rig for that long. */
const wanted = process.env.STORE_KILL_SECONDS ? Number.POSITIVE_INFINITY : process.env.CI ? 200 : 0;
const seconds = Number(process.env.STORE_KILL_SECONDS ?? 150);
const seed = Number(process.env.STORE_KILL_SEED ?? Date.now() % 1e9);

test('at random moments and at every failpoint of the file driver', async () => {
  const ends = performance.now() + seconds * 1_000;
  const goesOn = (cycles: number): boolean => performance.now() < ends && cycles < wanted;
  const { cycles, acknowledged, lost, violations, reached, unknown } = await killFile({
    seed,
    goesOn,
    everyFailpoint: true,
  });
  const coverage = `${reached.size} of ${failpoints.length} failpoints`;
  console.log(`\n${cycles} kills (seed ${seed}, ${coverage}), ${acknowledged} changes acknowledged, ${lost} lost`);
  assert.equal(violations, []);
  assert.equal(
    failpoints.filter((name) => !reached.has(name)),
    [],
    'failpoints that were not reached',
  );
  assert.equal([...unknown], [], 'calls that have no failpoint');
  assert.ok(acknowledged > 100, 'the rig worked');
});

test.run();
