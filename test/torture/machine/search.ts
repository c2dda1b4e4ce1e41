import fc from 'fast-check';
import type { Again, TrialOptions } from '../trial.ts';
import { repeatFailure } from './repeat.ts';

/** For `fc.commands`. */
export function commandLimits(maxCommands: number, again?: Again): fc.CommandsContraints {
  return { maxCommands, size: 'max', ...(again?.replayPath && { replayPath: again.replayPath }) };
}

export interface SearchOptions extends TrialOptions {
  /** Of the trial, for the words that repeat a failure. */
  name: string;
  /** Whether at least one run was made; the time is over only then. */
  hasRun(): boolean;
  /** Waits for the run that the end of the time has interrupted: it goes on, and must not meet another one. */
  rest(): Promise<unknown>;
}

/**
 * Draws runs of a property until the time is over or five of them failed. Resolves with the failures, shrunk, each with how to
 * see it again. With `again` it draws nothing and repeats that one.
 */
export async function searchFailures<Values>(
  property: fc.IAsyncProperty<Values>,
  options: SearchOptions,
): Promise<string[]> {
  const { name, ms, seed, note, again, hasRun, rest } = options;
  if (again) return repeatFailure(property, { ...options, again });
  const until = performance.now() + ms;
  const found: string[] = [];
  for (let round = 0; !hasRun() || (performance.now() < until && found.length < 5); round++) {
    const details = await fc.check(property, {
      seed: seed + round,
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
