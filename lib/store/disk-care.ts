import { join } from 'node:path';
import { systemCode } from '../base/caught.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { endsSomething, type SessionChange } from './change.ts';
import type { FilePort } from './file-port.ts';
import { notStored } from './not-stored.ts';
import { createReserve, type Disk, isDiskFull, systemDisk } from './reserve.ts';
import type { StoreTrouble } from './session-store.ts';
import { layout } from './store-paths.ts';

type DiskTrouble = Exclude<StoreTrouble, 'unavailable'>;

export interface DiskCareOptions {
  files: FilePort;
  root: string;
  /** Size of the reserve; 0: none is kept. */
  reserveBytes: number;
  clock: Clock;
  log: Logger;
  disk?: Disk;
}

/** What both drivers do about a disk that is full or can't be written. */
export interface DiskCare {
  /** Call it under the lock of the directory, before anything is written. */
  open(): Promise<void>;
  trouble(): DiskTrouble | undefined;
  /** Throws when this change must not be written now. A comparison. */
  admit(change: SessionChange): void;
  /** As `admit`, for what is not a change of a session: images and snapshots. */
  admitBytes(): void;
  /** Told of a write that failed. Gives the reserve back if it `ends` something; true when there is room for that now. */
  met(error: unknown, ends: boolean): Promise<boolean>;
  /** Told of a failure that nobody explains: begins `read-only` when that is the reason. */
  suspect(): Promise<void>;
  /** Does `work`, and once more if it failed for want of room and there was a reserve. For little, and for what frees more than it needs. */
  withReserve<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A new directory is given its reserve when the start is long over. */
const settleMs = 30_000;
const lookMs = 2_000;
const lookForRoomMs = 60_000;
/** Ample room: the reserve takes an eighth of what is free at most. */
const ample = 8;
const enough = 2;

/**
 * `full`: the reserve was spent, since a change that ends something met a full disk. What it left is for more of those:
 * everything else is refused until twice the reserve is free. `read-only`: the system said so; everything is refused until
 * a file can be created again. Both are looked at every two seconds and end by themselves.
 */
export function createDiskCare(options: DiskCareOptions): DiskCare {
  const { files, root, reserveBytes, clock, log, disk = systemDisk } = options;
  const reserve = createReserve(files, root, { bytes: reserveBytes, disk });
  const probe = join(root, layout.probe);
  let trouble: DiskTrouble | undefined;
  let cancel: (() => void) | undefined;
  let looking: Promise<void> | undefined;
  let closed = false;

  return {
    async open() {
      if (await reserve.find()) begin('full');
      else if (!reserve.held && reserveBytes > 0) schedule(settleMs);
    },
    trouble: () => trouble,
    admit(change) {
      if (trouble === 'read-only' || (trouble === 'full' && !endsSomething(change))) throw refused(trouble);
    },
    admitBytes() {
      if (trouble) throw refused(trouble);
    },
    met,
    async suspect() {
      await met(await writeProbe(), false);
    },
    async withReserve(work) {
      try {
        return await work();
      } catch (error) {
        if (!(await met(error, true))) throw error;
        return work();
      }
    },
    async close() {
      closed = true;
      cancel?.();
      await reserve.stop();
      await looking;
    },
  };

  async function met(error: unknown, ends: boolean): Promise<boolean> {
    if (systemCode(error) === 'EROFS') begin('read-only');
    if (!ends || !isDiskFull(error) || !(await reserve.spend().catch(() => false))) return false;
    begin('full');
    return true;
  }

  function begin(kind: DiskTrouble): void {
    if (trouble !== kind) log.error(troubleText[kind]);
    trouble = kind;
    schedule(lookMs);
  }

  function schedule(ms: number): void {
    cancel?.();
    if (closed) return;
    cancel = clock.after(ms, () => {
      cancel = undefined;
      looking = look().finally(() => {
        looking = undefined;
        if (trouble) schedule(lookMs);
        else if (!reserve.held && reserveBytes > 0) schedule(lookForRoomMs);
      });
    });
  }

  async function look(): Promise<void> {
    const free = await disk.free(root).catch(() => 0);
    const over =
      trouble === 'full'
        ? free >= enough * reserveBytes
        : trouble === 'read-only' && (await writeProbe()) === undefined;
    if (over) {
      trouble = undefined;
      log.warn('The data directory can be written again.');
    }
    if (trouble === undefined && !reserve.held && reserveBytes > 0 && free >= ample * reserveBytes)
      await reserve.fill();
  }

  /** Why no file can be created in the directory; undefined when one can. */
  async function writeProbe(): Promise<unknown> {
    try {
      await files.close(await files.open(probe, 'replace'));
      await files.remove(probe);
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

const troubleText: Readonly<Record<DiskTrouble, string>> = {
  full: 'The disk of the data directory is full: only the ends of runs and deletions are stored, out of the reserve, until there is space.',
  'read-only': 'The data directory became read-only: nothing is stored until it can be written again.',
};

const codes: Readonly<Record<DiskTrouble, string>> = { full: 'ENOSPC', 'read-only': 'EROFS' };

function refused(trouble: DiskTrouble): Error {
  return notStored(codes[trouble]);
}
