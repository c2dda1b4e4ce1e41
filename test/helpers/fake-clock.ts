import type { Clock } from '../../lib/base/clock.ts';

/** A clock that moves only when told to. Timers fire in the order of their time, also those that a timer arms. */
export interface FakeClock extends Clock {
  advance(ms: number): void;
  /** Moves the wall clock alone, as an administrator would; durations do not notice. */
  step(ms: number): void;
  /** Timers that have neither fired nor been cancelled. */
  readonly pending: number;
}

export function createFakeClock(start = Date.UTC(2026, 0, 1)): FakeClock {
  const timers = new Set<{ at: number; fn: () => void }>();
  let elapsed = 0;
  let offset = start;
  return {
    now: () => offset + elapsed,
    monotonic: () => elapsed,
    after(ms, fn) {
      const timer = { at: elapsed + Math.max(0, ms), fn };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const end = elapsed + ms;
      for (;;) {
        const due = [...timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        timers.delete(due);
        elapsed = Math.max(elapsed, due.at);
        due.fn();
      }
      elapsed = end;
    },
    step(ms) {
      offset += ms;
    },
    get pending() {
      return timers.size;
    },
  };
}
