import type { Clock } from '../../base/clock.ts';
import { notStored } from '../not-stored.ts';
import { type Disk, systemDisk } from '../reserve.ts';

/** PostgreSQL does not survive a full disk well: it is not asked to write when less than this is left. */
const least = 16 * 1024 * 1024;
/** For what ends something: a few pages, and the file of the log that they may begin. */
const leastForEnds = 4 * 1024 * 1024;
const plenty = 256 * 1024 * 1024;
const plentyForMs = 500;

export interface Room {
  /** Whether the disk has room for another batch; `ends`: of changes that only end something. Asks the system rarely while there is plenty. */
  forBatch(ends: boolean): Promise<boolean>;
  /** Whether a copy of so many bytes fits too. */
  forCopy(bytes: number): Promise<boolean>;
}

/** The room on the disk of a directory, which must be there by the first question. */
export function createRoom(directory: string, clock: Clock, disk: Disk = systemDisk): Room {
  let plentyUntil = Number.NEGATIVE_INFINITY;
  return {
    async forBatch(ends) {
      if (clock.monotonic() < plentyUntil) return true;
      const free = await disk.free(directory);
      if (free > plenty) plentyUntil = clock.monotonic() + plentyForMs;
      return free > (ends ? leastForEnds : least);
    },
    forCopy: async (bytes) => (await disk.free(directory)) > least + bytes,
  };
}

/** The error of a change that there is no room for; its `code` is ENOSPC. */
export function noRoom(): Error {
  return notStored('ENOSPC', 'no space is left on the device');
}
