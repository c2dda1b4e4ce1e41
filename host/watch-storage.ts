import { statfs } from 'node:fs/promises';
import type { Clock } from '../lib/base/clock.ts';

export interface StorageWatch {
  /** Free bytes when there are too few; undefined otherwise. */
  missingSpace(): number | undefined;
  stop(): void;
}

export interface StorageWatchOptions {
  directory: string;
  /** 0 turns it off. */
  minFreeBytes: number;
  clock: Pick<Clock, 'after'>;
  /** Called when space runs low (with what is left) and when there is enough again. */
  changed: (missing: number | undefined) => void;
  /** Free bytes for this user at a path. */
  freeBytes?: (directory: string) => Promise<number>;
}

const everyMs = 5_000;

/**
 * Looks at the file system of the data directory when called and then every five seconds, never on a request's path.
 * What can't be measured counts as enough: the store itself refuses what it can't write.
 */
export async function watchStorage(options: StorageWatchOptions): Promise<StorageWatch> {
  const { directory, minFreeBytes, clock, changed, freeBytes = availableBytes } = options;
  let missing: number | undefined;
  let stopped = minFreeBytes === 0;
  let cancel = () => {};
  const look = async (): Promise<void> => {
    const free = await freeBytes(directory).catch(() => undefined);
    if (stopped) return;
    const before = missing;
    missing = free !== undefined && free < minFreeBytes ? free : undefined;
    if ((before === undefined) !== (missing === undefined)) changed(missing);
    cancel = clock.after(everyMs, () => void look());
  };
  if (!stopped) await look();
  return {
    missingSpace: () => missing,
    stop() {
      stopped = true;
      cancel();
    },
  };
}

async function availableBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
