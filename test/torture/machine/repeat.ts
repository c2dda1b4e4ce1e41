import fc from 'fast-check';
import type { Again, TrialOptions } from '../trial.ts';

/** A race of real time does not come out the same way each time. */
const mostTries = 100;

/**
 * Runs the one run that a failure has named, unshrunk further, until it fails again, the time is over or it was kept a hundred
 * times. Resolves with the failure. A path that is none of this seed's, or is of other trials than these, is an answer as well.
 */
export async function repeatFailure<Values>(
  property: fc.IAsyncProperty<Values>,
  { ms, seed, note, again }: TrialOptions & { again: Again },
): Promise<string[]> {
  const until = performance.now() + ms;
  for (let tries = 1; tries <= mostTries && (tries === 1 || performance.now() < until); tries++) {
    const drawn = await drawAgain(property, seed, again.path);
    if (!drawn) return [`TORTURE_PATH=${again.path} is no run of --seed=${seed} as the trial is now`];
    const failure = await property.run(drawn.values);
    if (!failure || !('error' in failure)) continue;
    const { error } = failure;
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [`${why}\n  at try ${tries} of the run ${again.path} of seed ${seed}\n  ${fc.stringify(drawn.values)}`];
  }
  note(`the run ${again.path} of seed ${seed} broke nothing`);
  return [];
}

/**
 * What the property is given at the end of this path; for each try again, since commands remember that they have run. It is
 * taken from a check, whose first run says that it failed: a sample of a property draws other values than a check of it.
 */
async function drawAgain<Values>(
  property: fc.IAsyncProperty<Values>,
  seed: number,
  path: string,
): Promise<{ values: Values } | undefined> {
  const drawn: { values: Values }[] = [];
  const drawing: fc.IRawProperty<Values, true> = {
    isAsync: () => true,
    generate: (random, runId) => property.generate(random, runId),
    shrink: (value) => property.shrink(value),
    runBeforeEach: () => property.runBeforeEach(),
    runAfterEach: () => property.runAfterEach(),
    run: async (values) => {
      drawn.push({ values });
      return { error: undefined };
    },
  };
  try {
    await fc.check(drawing, { seed, path, numRuns: 1, endOnFailure: true });
  } catch {
    return undefined;
  }
  return drawn[0];
}
