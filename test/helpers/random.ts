export interface Random {
  /** At least 0, less than 1. */
  next(): number;
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  /** True once in `times`. */
  once(times: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
  /** A seed for something that decides by itself. */
  seed(): number;
}

/** A small seeded generator (mulberry32): what it decided can be decided again. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    once: (times) => below(times) === 0,
    pick: (items) => items[below(items.length)] ?? items[0],
    seed: () => below(2 ** 30),
  };
}
