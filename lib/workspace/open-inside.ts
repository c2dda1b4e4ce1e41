import { constants, existsSync, fstatSync, readlinkSync, type Stats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../wire/errors.ts';
import { pathFailure } from './path-failure.ts';
import { isInside, normalisePath } from './workspace-path.ts';

/** The directory that bounds everything, and what is invisible in it. */
export interface Bounds {
  /** Absolute real path. */
  readonly root: string;
  isOwnPath(realPath: string): boolean;
}

/** An open file or directory that was proven to lie inside. Whoever gets one closes `handle`. */
export interface Opened {
  handle: FileHandle;
  stats: Stats;
  /** Where it really is. */
  realPath: string;
  /** Relative to the root, normal form, as it was asked for. */
  path: string;
}

const hasProcessFiles = existsSync('/proc/self/fd');

/** Never waits for a writer of a FIFO, never becomes the terminal of this process. */
const readFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Opens what `path` names and then asks the descriptor where it really is: a link that is changed between a check and
 * an opening can't help anybody, because the check comes after and everything later goes through this descriptor.
 * Throws ServiceError `bad_path`, `invalid_path`, `outside_workspace`, `not_found` or `forbidden`.
 */
export async function openInside(bounds: Bounds, path: string, flags: number = readFlags): Promise<Opened> {
  const normal = normalisePath(path);
  const absolute = join(bounds.root, normal);
  let handle: FileHandle;
  try {
    handle = await open(absolute, flags);
  } catch (error) {
    throw await pathFailure(bounds, normal, error);
  }
  try {
    return { handle, path: normal, ...(await verify(bounds, handle, absolute)) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Proves that an open descriptor lies inside. `openedAs` is only used where the system can't tell a descriptor's path. What a file
 * is was learnt when it was opened: asking in place costs a microsecond, another thread as much as the opening.
 */
async function verify(
  bounds: Bounds,
  handle: FileHandle,
  openedAs: string,
): Promise<{ stats: Stats; realPath: string }> {
  const realPath = await realPathOf(handle, openedAs);
  if (realPath === undefined || !isInside(bounds.root, realPath))
    throw new ServiceError('outside_workspace', 'The path leads out of the workspace through a link.');
  if (bounds.isOwnPath(realPath)) throw new ServiceError('not_found', 'There is nothing at this path.');
  return { stats: fstatSync(handle.fd), realPath };
}

/**
 * A path that names the open directory itself, whatever its name points to by now: `<this>/name` can't be led astray.
 * Only Linux has such paths; elsewhere the real path stands in, which somebody could still rename in between.
 */
export function directoryPath(opened: Pick<Opened, 'handle' | 'realPath'>): string {
  return hasProcessFiles ? `/proc/self/fd/${opened.handle.fd}` : opened.realPath;
}

/**
 * Undefined when it has none any more, or (without process files) when the name changed its meaning meanwhile. A process
 * file is read in place: the kernel answers from memory, whatever file system the descriptor is on, in a tenth of the time
 * that it takes to ask another thread.
 */
async function realPathOf(handle: FileHandle, openedAs: string): Promise<string | undefined> {
  if (hasProcessFiles) {
    const link = readlinkSync(`/proc/self/fd/${handle.fd}`);
    return link.startsWith('/') ? link : undefined;
  }
  const before = await realpath(openedAs);
  const [named, held] = await Promise.all([stat(before), handle.stat()]);
  const after = await realpath(openedAs);
  return before === after && named.dev === held.dev && named.ino === held.ino ? after : undefined;
}
