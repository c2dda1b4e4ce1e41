import type { Clock } from '../lib/base/clock.ts';

export interface EventLoopWatch {
  overloaded(): boolean;
  /** By how many milliseconds the last tick was late, and the latest one so far; undefined when nobody looks. */
  lag(): { last: number; most: number } | undefined;
  stop(): void;
}

const tickMs = 500;
const sustainedMs = 2_000;

/**
 * Notices an event loop that can't keep up: ticks later than `lagMs` for two seconds, until the first one on time. One long
 * stall alone is none, nor is a step of the wall clock. Two timers a second and a comparison are all it costs; 0 turns it off.
 */
export function watchEventLoop(clock: Pick<Clock, 'monotonic' | 'after'>, lagMs: number): EventLoopWatch {
  let lateSince: number | undefined;
  let overloaded = false;
  let last = 0;
  let most = 0;
  let cancel = () => {};
  const arm = (): void => {
    const due = clock.monotonic() + tickMs;
    cancel = clock.after(tickMs, () => {
      const now = clock.monotonic();
      last = Math.max(0, now - due);
      most = Math.max(most, last);
      lateSince = last > lagMs ? (lateSince ?? now) : undefined;
      overloaded = lateSince !== undefined && now - lateSince >= sustainedMs;
      arm();
    });
  };
  if (lagMs > 0) arm();
  return {
    overloaded: () => overloaded,
    lag: () => (lagMs > 0 ? { last, most } : undefined),
    stop: () => cancel(),
  };
}
