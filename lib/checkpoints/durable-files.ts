import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
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

/** Replaces a file: after a crash it is the old one or the new one; with `durable`, also after a power cut. */
export function replaceFile(path: string, content: string | Uint8Array, { durable }: { durable: boolean }): void {
  const temporary = `${path}.tmp`;
  writeWithDirectory(temporary, content);
  if (durable) syncPath(temporary);
  renameSync(temporary, path);
  if (durable) syncPath(dirname(path));
}

/** The directory is nearly always there: asking for it first would cost more than the write. */
function writeWithDirectory(path: string, content: string | Uint8Array): void {
  try {
    writeFileSync(path, content, { mode: 0o600 });
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, content, { mode: 0o600 });
  }
}

/** Adds to the end of a file, which must be there; with `durable`, synced. */
export function appendLine(path: string, line: string, { durable }: { durable: boolean }): void {
  const fd = openSync(path, 'a', 0o600);
  try {
    writeSync(fd, line);
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
