import type { TrialResult } from '../trial.ts';

/** What a rig is told. */
export interface RigOptions {
  seed: number;
  /** Asked before every cycle with the number of cycles so far. */
  goesOn(cycles: number): boolean;
}

/** What a rig has seen so far; it counts on. */
export interface Outcome extends TrialResult {
  violations: string[];
}

export function newOutcome(): Outcome {
  return { cycles: 0, acknowledged: 0, lost: 0, violations: [] };
}
