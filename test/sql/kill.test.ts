import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { actAsChild } from '../torture/kill/child.ts';
import { killSql } from '../torture/kill/kill-sql.ts';

if (process.argv[2] === 'child') await actAsChild(process.argv.slice(3));

const test = suite('a process that is killed loses nothing that the database acknowledged');

/** Bounded by time; SQL_KILL_CYCLES and SQL_KILL_SECONDS run the rig longer. */
const seconds = Number(process.env.SQL_KILL_SECONDS ?? 20);
const wanted = Number(process.env.SQL_KILL_CYCLES ?? 200);
const seed = Number(process.env.SQL_KILL_SEED ?? Date.now() % 1e9);

test('at random moments, also while it recovers', async () => {
  const ends = performance.now() + seconds * 1_000;
  const goesOn = (cycles: number): boolean => performance.now() < ends && cycles < wanted;
  const { cycles, acknowledged, lost, violations, checked } = await killSql({ seed, goesOn });
  console.log(
    `\n${cycles} kills (seed ${seed}), ${checked} recoveries checked, ${acknowledged} acknowledged, ${lost} lost`,
  );
  assert.equal(violations, []);
  assert.ok(checked >= 3 && acknowledged > 20, 'the rig worked');
});

test.run();
