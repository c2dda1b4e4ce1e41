import type { RunEnd } from '../wire/event.ts';
import type { Usage } from '../wire/usage.ts';

export type RunOutcome = { status: RunEnd; usage: Usage } | { status: 'failed'; error: string; usage: Usage };

/** The active runs, one per session at most. */
export interface Runs {
  isActive(sessionId: string): boolean;
  /** True when there was an active run and this call is the one that ends it. */
  cancel(sessionId: string): boolean;
  /** Resolves when the session has no active run (any more); never rejects. */
  settled(sessionId: string): Promise<RunOutcome | undefined>;
  readonly active: number;
}
