import { statfs } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';

/** PostgreSQL does not survive a full disk well: it is not asked to write when less than this is left. */
const reserve = 16 * 1024 * 1024;
const plenty = 256 * 1024 * 1024;
const plentyForMs = 500;

/** Whether the disk below a directory has room for another batch. Asks the system rarely while there is plenty. */
export function createRoom(directory: string, clock: Clock): () => Promise<boolean> {
  let plentyUntil = Number.NEGATIVE_INFINITY;
  return async () => {
    if (clock.monotonic() < plentyUntil) return true;
    const { bavail, bsize } = await statfs(directory);
    const free = bavail * bsize;
    if (free > plenty) plentyUntil = clock.monotonic() + plentyForMs;
    return free > reserve;
  };
}
