import { randomBytes } from 'node:crypto';
import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemCode } from '../base/caught.ts';
import type { FilePort } from './file-port.ts';
import { layout } from './store-paths.ts';

/** What the store asks about a disk, beside the system calls of the file port. */
export interface Disk {
  /** Bytes that this user may still write below a directory. */
  free(directory: string): Promise<number>;
  /** Undefined when there is no such file. */
  size(path: string): Promise<number | undefined>;
}

export const systemDisk: Disk = {
  async free(directory) {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  },
  async size(path) {
    const found = await stat(path).catch(() => undefined);
    return found?.size;
  },
};

/** Bytes that are kept on a disk to be given back when there are no others. */
export interface Reserve {
  /** The bytes are there. */
  readonly held: boolean;
  /** Looks for what an earlier process left; removes what is not wanted any more. True when that process had to spend it. */
  find(): Promise<boolean>;
  /** Gives the bytes back to the disk. False when there are none. */
  spend(): Promise<boolean>;
  /** Takes the bytes, a megabyte at a time. False when the disk refuses or `stop` was called; then none are kept. */
  fill(): Promise<boolean>;
  /** Resolves once nothing is being written. */
  stop(): Promise<void>;
}

/**
 * A file of `bytes` in the data root, so that the end of a run and a deletion can be stored on a disk that somebody else
 * has filled up. Its content can't be compressed: a file system that saves zeros would give nothing back. 0 bytes: none.
 */
export function createReserve(files: FilePort, root: string, { bytes, disk }: { bytes: number; disk: Disk }): Reserve {
  const path = join(root, layout.reserve);
  let held = false;
  let stopped = false;
  let filling: Promise<boolean> | undefined;

  return {
    get held() {
      return held;
    },
    async find() {
      const size = await disk.size(path);
      held = bytes > 0 && size === bytes;
      const spent = bytes > 0 && size === 0;
      if (!held && !spent && size !== undefined) await files.remove(path);
      return spent;
    },
    async spend() {
      if (!held) return false;
      // Emptied, not removed: a process that starts now must know whom the room is for.
      await files.close(await files.open(path, 'replace'));
      held = false;
      return true;
    },
    async fill() {
      filling ??= write().finally(() => {
        filling = undefined;
      });
      held = await filling;
      return held;
    },
    async stop() {
      stopped = true;
      await filling;
    },
  };

  async function write(): Promise<boolean> {
    try {
      const descriptor = await files.open(path, 'replace');
      try {
        for (let left = bytes; left > 0; ) {
          if (stopped) throw new Error('The store is closing.');
          left -= await files.write(descriptor, await noise(Math.min(left, chunkBytes)));
          // Piece by piece, so that a commit's sync never waits for all of it.
          await files.datasync(descriptor);
        }
      } finally {
        await files.close(descriptor);
      }
      return true;
    } catch {
      await files.remove(path).catch(() => undefined);
      return false;
    }
  }
}

/** True for a system error that says that there is no room, or none for this user. */
export function isDiskFull(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

const chunkBytes = 1024 * 1024;

const noise = promisify(randomBytes);
