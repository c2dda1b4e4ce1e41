import type { Clock } from '../base/clock.ts';

/** Waits, or rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = clock.after(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    const onAbort = (): void => {
      stop();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
