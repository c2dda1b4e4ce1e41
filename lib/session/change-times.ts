import type { Clock } from '../base/clock.ts';

/**
 * How far many changes at once may run ahead of the clock, in milliseconds: so many beyond one per millisecond still have
 * times of their own. Nobody should see a time that a person would call the future.
 */
const mostAhead = 50;

/** When changes count as made, per tenant. */
export interface ChangeTimes {
  /**
   * The time of a change that is made now, in milliseconds: later than that of every earlier change of the tenant, so that
   * the order of the changes is the order of their times, in this process and in the next one. Beyond `mostAhead` the same
   * time again, never an earlier one.
   *
   * While the clock is behind what it said before, be it by a year, each change is a millisecond after the last one: the
   * list stays in order. Which of the two clocks was right nobody can know (a machine without a battery starts in the
   * past), so no time that was given out is taken back.
   */
  next(tenantId: string): number;
  /** A change made by an earlier process. */
  seen(tenantId: string, at: number): void;
}

export function createChangeTimes(clock: Clock): ChangeTimes {
  /** `reading` is the latest that the clock said: what `newest` is beyond it came from many changes at once. */
  const tenants = new Map<string, { reading: number; newest: number }>();
  return {
    next(tenantId) {
      const now = clock.now();
      const known = tenants.get(tenantId);
      if (!known) {
        tenants.set(tenantId, { reading: now, newest: now });
        return now;
      }
      const isBehind = now < known.reading;
      known.reading = Math.max(known.reading, now);
      const after = isBehind ? known.newest + 1 : Math.min(known.newest + 1, known.reading + mostAhead);
      known.newest = Math.max(known.newest, known.reading, after);
      return known.newest;
    },
    seen(tenantId, at) {
      const { newest } = tenants.get(tenantId) ?? { newest: at };
      tenants.set(tenantId, { reading: Math.max(newest, at), newest: Math.max(newest, at) });
    },
  };
}
