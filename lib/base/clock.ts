export type Undo = () => void;

/** Time as an argument: the host passes the real one, tests a clock they turn by hand. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. For timestamps. */
  now(): number;
  /** Milliseconds that never go back. For durations. */
  monotonic(): number;
  /** Calls `fn` once after `ms` (any non-negative length; a timer never keeps the process alive). The result cancels it. */
  after(ms: number, fn: () => void): Undo;
}

const longestTimer = 2 ** 31 - 1;

/** The machine's clock. Timers over 2^31-1 ms are chained, because the platform fires those at once. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      const part = Math.min(left, longestTimer);
      timer = setTimeout(() => (left > part ? arm(left - part) : fn()), part);
      timer.unref();
    };
    arm(Math.max(0, ms));
    return () => clearTimeout(timer);
  },
};

/** A time of the wall clock as the contract writes it: ISO 8601, UTC, with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
