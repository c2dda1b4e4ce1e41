import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { measure } from './figures.ts';

const test = suite('The figures of checkpoints beside native git');
const sizes = (process.env.CHECKPOINT_FIGURES ?? '').split(',').filter((size) => /^\d+$/.test(size));

if (sizes.length === 0) console.log('SKIPPED figures: set CHECKPOINT_FIGURES=2000,20000 to measure');

for (const size of sizes)
  test(`${size} files`, async () => {
    const { ours, git, stallMs, rssMb } = await measure(Number(size));
    const line = (figures: Record<string, number>) =>
      Object.entries(figures)
        .map(([name, ms]) => `${name} ${Math.round(ms)} ms`)
        .join(', ');
    console.log(
      `${size} files\n  ours  ${line(ours)}; loop stall ${stallMs.toFixed(1)} ms, RSS ${Math.round(rssMb)} MB`,
    );
    console.log(`  git   ${line(git)}`);
    assert.ok(ours.second);
  });

test('there is a figure for every size asked for', () => {
  assert.ok(sizes.every((size) => Number(size) <= 100_000));
});

test.run();
