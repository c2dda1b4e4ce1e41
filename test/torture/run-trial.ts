import { within } from '../helpers/within.ts';
import type { Again, Trial, TrialResult } from './trial.ts';

export interface Outcome {
  trial: Trial;
  seed: number;
  seconds: number;
  result: TrialResult;
}

export interface RunOptions {
  ms: number;
  seed: number;
  again?: Again | undefined;
  say(line: string): void;
}

/** Runs one trial. One that throws, or does not end long after its time, has broken a promise too. */
export async function runTrial(trial: Trial, { ms, seed, again, say }: RunOptions): Promise<Outcome> {
  say(`${trial.name}: seed ${seed}, ${Math.round(ms / 1000)} s, a cycle is ${trial.cycle}`);
  const started = performance.now();
  const note = (line: string): void => say(`${trial.name}: ${line}`);
  const result = await within(ms * 2 + graceMs, trial.run({ ms, seed, again, note }), trial.name).catch(broken);
  for (const violation of result.violations) note(`VIOLATION ${violation}`);
  return { trial, seed, seconds: (performance.now() - started) / 1000, result };
}

/** Whether every promise was kept. What was skipped broke none. */
export function isClean({ result }: Outcome): boolean {
  return result.lost === 0 && result.violations.length === 0;
}

function broken(error: unknown): TrialResult {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { cycles: 0, acknowledged: 0, lost: 0, violations: [what] };
}

/** For the cycle that is under way when the time is over. */
const graceMs = 60_000;
