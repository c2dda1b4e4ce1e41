import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { shareTime } from './catalogue.ts';
import { isClean, runTrial } from './run-trial.ts';
import { tableOf } from './table.ts';
import type { Trial, TrialResult } from './trial.ts';

const test = suite('the torture tells what it saw');

const good: TrialResult = { cycles: 3, acknowledged: 40, lost: 0, violations: [] };

test('time is shared by weight among the trials that are wanted', () => {
  const trials = [
    { trial: trialOf('kill-file', good), weight: 3 },
    { trial: trialOf('kill-sql', good), weight: 1 },
    { trial: trialOf('soak', good), weight: 4 },
  ];
  const shares = (only?: string) => shareTime(trials, { ms: 800, ...(only && { only }) }).map(({ ms }) => ms);
  assert.equal(shares(), [300, 100, 400]);
  assert.equal(shares('kill'), [600, 200]);
  assert.equal(shares('file,soak').map(Math.round), [343, 457]);
  assert.equal(shares('nothing'), []);
});

test('a loss, a violation and a trial that throws are failures; a skipped one is not', async () => {
  const clean = async (trial: Trial) => isClean(await runTrial(trial, { ms: 10, seed: 1, say: () => undefined }));
  const throwing: Trial = { name: 'throwing', cycle: 'a throw', run: async () => Promise.reject(new Error('broken')) };
  assert.is(await clean(trialOf('good', good)), true);
  assert.is(await clean(trialOf('lossy', { ...good, lost: 1 })), false);
  assert.is(await clean(trialOf('wrong', { ...good, violations: ['It came back.'] })), false);
  assert.is(await clean(throwing), false);
  assert.is(await clean(trialOf('absent', { ...good, cycles: 0, skipped: 'no mounts here' })), true);
});

test('the table has every count, why a trial was skipped, and the command that runs a failing one again', async () => {
  const lines: string[] = [];
  const run = (trial: Trial, seed: number) => runTrial(trial, { ms: 10, seed, say: (line) => lines.push(line) });
  const text = tableOf([
    await run(trialOf('good', { ...good, figures: { states: '1,234' } }), 7),
    await run(trialOf('lossy', { ...good, lost: 1, violations: ['ses_1 is gone.'] }), 8),
    await run(trialOf('absent', { ...good, skipped: 'no mounts here' }), 9),
  ]).join('\n');
  assert.match(text, /^good\s+3\s+40\s+0\s+0\s+7\s+0\s+states 1,234$/m);
  assert.match(text, /^lossy\s+3\s+40\s+1\s+1\s+8\s/m);
  assert.match(text, /^absent\s+SKIPPED no mounts here$/m);
  assert.match(text, /^Again: npm run torture -- --only=lossy --seed=8 --minutes=1$/m);
  assert.not.match(text, '--only=good');
  assert.ok(lines.some((line) => line.startsWith('good: seed 7')) && lines.includes('lossy: VIOLATION ses_1 is gone.'));
});

test.run();

function trialOf(name: string, result: TrialResult): Trial {
  return { name, cycle: 'a pretence', run: async () => result };
}
