import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { systemCode } from '../base/caught.ts';

// Blocking file work of the checkpoint worker, which has a thread of its own to block.

/** Brings a file or directory to the disk. */
export function syncPath(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export interface ReplaceOptions {
  durable: boolean;
  /** The repository's directory for what is not complete yet; what a crash leaves there is dropped by the next start. */
  incoming: string;
}

/** Replaces a file: after a crash it is the old one or the new one; with `durable`, also after a power cut. */
export function replaceFile(path: string, content: string | Uint8Array, { durable, incoming }: ReplaceOptions): void {
  // One at a time: the worker does nothing else meanwhile.
  const temporary = join(incoming, 'replacing');
  withDirectory(temporary, () => writeFileSync(temporary, content, { mode: 0o600 }));
  if (durable) syncPath(temporary);
  withDirectory(path, () => renameSync(temporary, path));
  if (durable) syncPath(dirname(path));
}

/** The directory is nearly always there: asking for it first would cost more than the work. */
function withDirectory(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    work();
  }
}

/** Adds to the end of a file, which must be there; with `durable`, synced. */
export function appendLine(path: string, line: string, { durable }: { durable: boolean }): void {
  const fd = openSync(path, 'a', 0o600);
  try {
    // All of it or an error: write(2) alone may take a part on a disk that is nearly full.
    writeFileSync(fd, line);
    if (durable) fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Undefined when there is no such file. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
