import type { Undo } from '../base/clock.ts';
import type { SessionGuard, SessionGuardContext } from '../plugin-api/services.ts';

/** Vetoes on creation and runs (contract: Errors, rules 1 and 2). */
export interface Guards {
  register(guard: SessionGuard): Undo;
  /** Asks in the order of registration; the first veto wins as ServiceError 429. Synchronous: nothing can change in between. */
  check(context: SessionGuardContext): void;
}
