/** Does pieces of work, so many at once and the others in the order of the calls. Work must not ask for a slot itself. */
export type Slots = <T>(work: () => Promise<T>) => Promise<T>;

/** Bounds what can come in bursts, for example open files. Costs next to nothing while there are fewer than `count`. */
export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The slot goes from hand to hand, so that nobody who comes later gets in between.
      if (next) next();
      else free += 1;
    }
  };
}

/** For programs without a limit of their own. */
export const unlimited: Slots = (work) => work();
