import type { Clock } from './clock.ts';

export interface Silence {
  /** A sign of life: cheap, to be called for every one. */
  heard(): void;
  stop(): void;
}

/**
 * Calls `expire` once nothing was heard for `ms`, from now on; not after `stop`. One timer serves many signs: when it fires it
 * goes on for what is left since the last one.
 */
export function startSilence(clock: Pick<Clock, 'after' | 'monotonic'>, ms: number, expire: () => void): Silence {
  let heardAt = clock.monotonic();
  let stop = (): void => {};
  const watch = (left: number): void => {
    stop = clock.after(left, () => {
      const quiet = clock.monotonic() - heardAt;
      if (quiet < ms) watch(ms - quiet);
      else expire();
    });
  };
  watch(ms);
  return {
    heard() {
      heardAt = clock.monotonic();
    },
    stop: () => stop(),
  };
}
