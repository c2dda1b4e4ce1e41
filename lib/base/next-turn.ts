/** Resolves behind what waits for the event loop: between two slices of long work. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Long work in slices, between which everything else gets its turn. */
export interface Slices {
  /** This slice has lasted long enough. A comparison: ask after every little step. */
  readonly over: boolean;
  /** Begins another one behind what waits. */
  next(): Promise<void>;
}

/** Slices of `ms` milliseconds; the first one begins now. */
export function createSlices(ms: number): Slices {
  let end = performance.now() + ms;
  return {
    get over() {
      return performance.now() > end;
    },
    async next() {
      await nextTurn();
      end = performance.now() + ms;
    },
  };
}
