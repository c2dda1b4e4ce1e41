import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { catalogue, shareTime } from './catalogue.ts';
import { runTrial } from './run-trial.ts';
import { tableOf } from './table.ts';

const test = suite('a short slice of the torture keeps every promise');

/** For all trials together. TORTURE_SECONDS runs them longer; TORTURE_SEED runs them again. */
const seconds = Number(process.env.TORTURE_SECONDS ?? 30);
const seed = Number(process.env.TORTURE_SEED ?? Date.now() % 1e9);

const elsewhere = catalogue.flatMap(({ test: path }) => path ?? []);
const here = catalogue.filter((each) => each.test === undefined);

test('what is not tried here is tried by a test of its own', () => {
  assert.equal(
    elsewhere.filter((path) => !existsSync(path)),
    [],
  );
});

for (const { trial, ms } of shareTime(here, { ms: seconds * 1_000 }))
  test(trial.name, async () => {
    const outcome = await runTrial(trial, { ms, seed, say: (line) => console.log(line) });
    const { cycles, lost, violations, skipped } = outcome.result;
    console.log(skipped === undefined ? tableOf([outcome]).join('\n') : `SKIPPED ${trial.name}: ${skipped}`);
    assert.equal(violations, []);
    assert.is(lost, 0);
    assert.ok(cycles > 0 || skipped !== undefined, 'nothing was tried');
  });

test.run();
