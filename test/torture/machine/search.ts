import fc from 'fast-check';
import type { TrialOptions } from '../trial.ts';

/** One failure once more, from what it printed: which of the runs, and how far its commands were shrunk. */
export const again = { path: process.env.TORTURE_PATH, replayPath: process.env.TORTURE_REPLAY };

/** For `fc.commands`. */
export function commandLimits(maxCommands: number): fc.CommandsContraints {
  const { replayPath } = again;
  return { maxCommands, size: 'max', ...(replayPath === undefined ? {} : { replayPath }) };
}

export interface SearchOptions extends TrialOptions {
  /** Of the trial, for the words that repeat a failure. */
  name: string;
  /** Whether at least one run was made; the time is over only then. */
  hasRun(): boolean;
  /** Waits for the run that the end of the time has interrupted: it goes on, and must not meet another one. */
  rest(): Promise<unknown>;
}

/** Draws runs of a property until the time is over or five of them failed. Resolves with the failures, shrunk, each with how to see it again. */
export async function searchFailures<Values>(
  property: fc.IAsyncProperty<Values>,
  { name, ms, seed, note, hasRun, rest }: SearchOptions,
): Promise<string[]> {
  const until = performance.now() + ms;
  const found: string[] = [];
  for (let round = 0; !hasRun() || (performance.now() < until && found.length < 5); round++) {
    const details = await fc.check(property, {
      seed: seed + round,
      ...(again.path === undefined ? {} : { path: again.path }),
      numRuns: 50,
      interruptAfterTimeLimit: Math.max(1, until - performance.now()),
      endOnFailure: false,
    });
    await rest();
    // Interrupted by the end of the time is no failure.
    if (!details.failed || details.counterexample === null) continue;
    const { counterexamplePath: path, counterexample, errorInstance } = details;
    const why = errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : String(errorInstance);
    const shown = fc.stringify(counterexample);
    const replay = /replayPath=("[^"]*")/.exec(shown)?.[1] ?? '""';
    const words = `TORTURE_PATH=${path} TORTURE_REPLAY=${replay} npm run torture -- --only=${name}`;
    found.push(`${why}\n  ${words} --seed=${details.seed}\n  ${shown}`);
    note(found.at(-1) ?? '');
  }
  return found;
}
