import { monotonicFactory } from 'ulid';

/** The type prefixes of ids. An id is `<prefix>_<ulid>`; ids of one source sort by creation, also within one millisecond. */
export type IdPrefix = 'ses' | 'msg' | 'run' | 'apr' | 'chk' | 'usr';

/** Makes ids. One source per process: two sources would interleave unordered. */
export type IdSource = (prefix: IdPrefix) => string;

/** `now` is injected (milliseconds since the epoch); a clock that steps back does not disturb the order. */
export function createIdSource(now: () => number): IdSource {
  const next = monotonicFactory(bufferedRandom());
  return (prefix) => `${prefix}_${next(now())}`;
}

/** Random numbers in [0, 1) from the platform's secure source, fetched in blocks: one call per digit costs more than the id. */
function bufferedRandom(): () => number {
  const block = new Uint8Array(1_024);
  let used = block.length;
  return () => {
    if (used === block.length) {
      globalThis.crypto.getRandomValues(block);
      used = 0;
    }
    return (block[used++] ?? 0) / 256;
  };
}
