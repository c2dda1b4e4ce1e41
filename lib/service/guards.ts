import type { Undo } from '../base/clock.ts';
import type { SessionGuard, SessionGuardContext } from '../plugin-api/services.ts';
import { ServiceError } from '../wire/errors.ts';

/** Vetoes on creation and runs (contract: Errors, rules 1 and 2). */
export interface Guards {
  register(guard: SessionGuard): Undo;
  /** Asks in the order of registration; the first veto wins as ServiceError 429. Synchronous: nothing can change in between. */
  check(context: SessionGuardContext): void;
}

export function createGuards(): Guards {
  const guards = new Set<SessionGuard>();
  return {
    register(guard) {
      // Whatever can't be asked would refuse everything.
      if (typeof guard !== 'function') throw new Error('A guard must be a function.');
      // A wrapper of its own, so that one function registered twice is asked twice and undone once.
      const entry: SessionGuard = (context) => guard(context);
      guards.add(entry);
      return () => guards.delete(entry);
    },
    check(context) {
      for (const guard of guards) {
        try {
          refusePromise(guard(Object.freeze({ ...context })));
        } catch (error) {
          throw vetoOf(error) ?? error;
        }
      }
    },
  };
}

/** A guard that answers later would let everything through: it fails closed, and its own failure behind that is nobody's. */
function refusePromise(answer: unknown): void {
  if (typeof answer !== 'object' || answer === null || !('then' in answer)) return;
  Promise.resolve(answer).catch(() => {});
  throw new Error('A guard returned a promise: guards are synchronous, so nothing it decides later counts.');
}

/** A guard's rejection is recognised by name and code, since a plugin may carry its own class. */
function vetoOf(error: unknown): ServiceError | undefined {
  if (
    !(error instanceof Error) ||
    error.name !== 'SessionGuardError' ||
    !('code' in error) ||
    typeof error.code !== 'string'
  )
    return undefined;
  const seconds = 'retryAfterSeconds' in error ? error.retryAfterSeconds : undefined;
  const headers: Record<string, string> = {};
  if (typeof seconds === 'number' && Number.isFinite(seconds))
    headers['retry-after'] = String(Math.max(0, Math.ceil(seconds)));
  return new ServiceError(error.code, error.message || `A guard refused this (${error.code}).`, {
    status: 429,
    headers,
  });
}
