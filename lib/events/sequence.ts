import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';

/** Where the mark is kept: a slice of the session store. */
export interface SequenceMeta {
  readMeta(key: string): Promise<string | undefined>;
  writeMeta(key: string, value: string): Promise<void>;
}

/** The numbering of events over the life of a data directory (DECISIONS.md, Events). */
export interface Sequence {
  /** Above every `seq` that an earlier process can have used. */
  readonly seed: number;
  /** To be told every `seq` that is used; reserves more in the background when the reserved ones run low. */
  used(seq: number): void;
}

const key = 'events';
const block = 1_000_000;

/** Reads the mark and reserves the numbers above it on disk before the first one is used. Rejects as the store does. */
export async function openSequence(meta: SequenceMeta, clock: Pick<Clock, 'now'>, log: Logger): Promise<Sequence> {
  const seed = nextSeed(await meta.readMeta(key), clock);
  await meta.writeMeta(key, String(seed + block));
  let extendAt = seed + block / 2;
  return {
    seed,
    used(seq) {
      if (seq < extendAt) return;
      extendAt = seq + block / 2;
      meta.writeMeta(key, String(seq + block)).catch((error: unknown) => {
        extendAt = seq + block / 10;
        log.warn('The event sequence mark could not be stored; it is tried again later.', { error: String(error) });
      });
    },
  };
}

/**
 * The larger of the clock in microseconds and the persisted mark. The clock alone would do but for clocks that step back;
 * whatever is out of range or no number is ignored.
 */
function nextSeed(mark: string | undefined, clock: Pick<Clock, 'now'>): number {
  const candidates = [Number(mark ?? 0), clock.now() * 1000].map(Math.floor);
  return Math.max(0, ...candidates.filter((seq) => seq + 2 * block < Number.MAX_SAFE_INTEGER));
}
