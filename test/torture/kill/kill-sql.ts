import { createRandom } from '../../helpers/random.ts';
import { tempDirectory } from '../../helpers/temp-directory.ts';
import { live } from './life.ts';
import { newOutcome, type Outcome, type RigOptions } from './outcome.ts';
import { createTold } from './told.ts';

export interface SqlOutcome extends Outcome {
  /** Lives that came far enough to be held against what was acknowledged. */
  checked: number;
}

/** Kills processes that commit to the embedded database at random moments, every fifth one while it starts or recovers. */
export async function killSql({ seed, goesOn }: RigOptions): Promise<SqlOutcome> {
  const random = createRandom(seed);
  const directory = tempDirectory();
  const told = createTold();
  const outcome = newOutcome();
  let checked = 0;
  while (checked < 3 || goesOn(outcome.cycles)) {
    const early = outcome.cycles % 5 === 4;
    const times = early ? { afterStart: random.below(900) } : { afterOpen: random.below(800) };
    const { output, opened } = await live(['sql', directory], times);
    const { lost, problems } = told.compare(output);
    outcome.lost += lost;
    outcome.violations.push(...problems.map((problem) => `kill ${outcome.cycles}: ${problem}`));
    told.learn(output);
    outcome.cycles += 1;
    if (opened) checked += 1;
    if (outcome.violations.length >= 20) break;
  }
  return { ...outcome, acknowledged: told.count, checked };
}
