/**
 * One way to hurt the service, again and again, with an oracle that knows what must have survived. A trial is random but
 * repeatable: everything it decides comes from its seed.
 */
export interface Trial {
  readonly name: string;
  /** What one cycle is. */
  readonly cycle: string;
  run(options: TrialOptions): Promise<TrialResult>;
}

export interface TrialOptions {
  /** Milliseconds this trial may take; it ends its last cycle and stops. At least one cycle is run. */
  ms: number;
  seed: number;
  /** One failure once more instead of a search. */
  again?: Again | undefined;
  /** Says what a person who waits or reads the log wants to know; one line. */
  note(line: string): void;
}

/** What a failure of a trial that searches has printed: which of the runs of the seed, and how far its commands were shrunk. */
export interface Again {
  readonly path: string;
  readonly replayPath: string;
}

export interface TrialResult {
  cycles: number;
  /** Changes that the service said were stored. */
  acknowledged: number;
  /** Acknowledged changes that were gone later. */
  lost: number;
  /** Every other broken promise, as a sentence with what it takes to see it again. */
  violations: readonly string[];
  /** What else was measured, by name. */
  figures?: Readonly<Record<string, string>>;
  /** Why this machine does not allow the trial; then nothing was run. */
  skipped?: string;
}
