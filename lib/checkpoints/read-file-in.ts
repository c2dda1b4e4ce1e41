import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import type { OpenDirectory } from './open-directory.ts';
import type { RawPath } from './raw-path.ts';

const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * A plain file of a workspace with its stat data from before it was read. Undefined for anything else, and for more than `most`
 * bytes. Throws what the system says; ELOOP for a link. A pipe is not waited for.
 */
export function readFileIn(
  directory: OpenDirectory,
  name: RawPath,
  most: number,
): { content: Buffer; stats: Stats } | undefined {
  const fd = openSync(directory.at(name), flags);
  try {
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= most ? { content: readOpen(fd, stats.size), stats } : undefined;
  } finally {
    closeSync(fd);
  }
}

/**
 * The first `size` bytes of an open file, fewer when it is shorter by now. What it has grown by since somebody looked at its size
 * is not read: whoever works there may grow it by gigabytes at any moment.
 */
export function readOpen(fd: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const read = readSync(fd, bytes, length, size - length, length);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}
