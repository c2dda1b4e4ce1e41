import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { isoTime } from '../base/clock.ts';
import { ServiceError } from '../wire/errors.ts';
import { limits } from '../wire/limits.ts';
import type { WorkspaceFile } from '../wire/workspace.ts';
import { isRasterImage, mediaTypeOf, typeByName } from './media-type.ts';
import { type Bounds, type Opened, openInside } from './open-inside.ts';
import { notRegular } from './path-failure.ts';
import { countLines, decodeText } from './text.ts';

/** No reader gets more than this into memory, whatever limit it asks for. */
const mostBytes = 64 * 1024 * 1024;

/** Contract: WorkspaceFile. Text is UTF-8, cut between characters; images and everything else is base64. */
export async function readFile(
  bounds: Bounds,
  path: string,
  limit: number = limits.fileReadBytes,
): Promise<WorkspaceFile> {
  const opened = await openFile(bounds, path);
  try {
    const bytes = await readAtMost(opened.handle, Math.min(limit, opened.stats.size, mostBytes));
    const { size, mtimeMs } = opened.stats;
    const truncated = bytes.length < size;
    const name = basename(opened.path);
    const text = isRasterImage(typeByName(name)) ? undefined : decodeText(bytes, truncated);
    const mimeType = mediaTypeOf(name, bytes, text !== undefined);
    const about = { path: opened.path, name, size, modifiedAt: isoTime(mtimeMs), mimeType };
    if (text !== undefined)
      return { ...about, encoding: 'utf8', content: text, truncated, binary: false, lines: countLines(text) };
    return { ...about, encoding: 'base64', content: bytes.toString('base64'), truncated, binary: true };
  } finally {
    release(opened);
  }
}

/** All bytes of a file. Throws ServiceError `payload_too_large` for one over `limit`. */
export async function readBytes(bounds: Bounds, path: string, limit: number = limits.fileReadBytes): Promise<Buffer> {
  const opened = await openFile(bounds, path);
  try {
    const most = Math.min(limit, mostBytes);
    if (opened.stats.size > most)
      throw new ServiceError('payload_too_large', `The file has ${opened.stats.size} bytes; at most ${most} are read.`);
    return await readAtMost(opened.handle, opened.stats.size);
  } finally {
    release(opened);
  }
}

async function openFile(bounds: Bounds, path: string): Promise<Opened> {
  const opened = await openInside(bounds, path);
  if (opened.stats.isFile()) return opened;
  release(opened);
  if (opened.stats.isDirectory()) throw new ServiceError('invalid_path', 'The path is a directory, not a file.');
  throw notRegular();
}

/** Closes what was only read: nobody need wait for that, and nothing can be lost by it. */
function release({ handle }: Opened): void {
  handle.close().catch(() => undefined);
}

/** Fewer bytes when the file became shorter meanwhile. */
async function readAtMost(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
