import { catalogue, shareTime } from './catalogue.ts';
import { isClean, type Outcome, runTrial } from './run-trial.ts';
import { tableOf } from './table.ts';
import type { Again } from './trial.ts';

/**
 * The command behind `npm run torture`. Resolves to whether every promise was kept; undefined when the words make no sense.
 * `again` is for the trials that search; the others run as ever.
 */
export async function torture(words: readonly string[], again?: Again): Promise<boolean | undefined> {
  const option = (name: string) => words.find((word) => word.startsWith(`--${name}=`))?.split('=')[1];
  const minutes = Number(option('minutes') ?? 20);
  const seed = Number(option('seed') ?? Date.now() % 1e9);
  const chosen = shareTime(catalogue, { ms: minutes * 60_000, only: option('only') ?? '' });

  if (!(minutes > 0) || !Number.isSafeInteger(seed) || chosen.length === 0) {
    console.error('usage: npm run torture -- [--minutes=20] [--only=part of a name,another] [--seed=N]');
    console.error(`trials: ${catalogue.map(({ trial }) => trial.name).join(', ')}`);
    return undefined;
  }
  const outcomes: Outcome[] = [];
  for (const { trial, ms } of chosen)
    outcomes.push(await runTrial(trial, { ms, seed, again, say: (line) => console.log(line) }));
  console.log(`\n${tableOf(outcomes).join('\n')}`);
  return outcomes.every(isClean);
}
