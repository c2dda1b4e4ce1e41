import { dirname } from 'node:path';
import { type FilePort, isAbsent } from './file-port.ts';
import { writeBytes } from './write-bytes.ts';

/** What temporary files of the store end in; left-overs are removed at boot. */
export const temporarySuffix = '.tmp';

export interface ReplaceOptions {
  /** Asked right before the new file takes its place; false leaves the old one as it is. */
  keep?: () => boolean;
  /** False: a power cut may leave an empty or torn file; for what is also somewhere else. Default true. */
  sync?: boolean;
  /** A chunk of so many bytes or less is written in a blocking call. Default 0: none. */
  blocking?: number;
  /** Sets two writers of one path apart. */
  suffix?: string;
}

/**
 * Puts a file in place so that a reader, a crash or a power cut meets either the old or the whole new one:
 * temporary file, fsync, rename, directory fsync. Resolves to false when `keep` said no. On failure nothing is left behind.
 */
export async function replaceFile(
  files: FilePort,
  path: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  options: ReplaceOptions = {},
): Promise<boolean> {
  const temporary = `${path}${options.suffix ?? ''}${temporarySuffix}`;
  try {
    await writeAll(files, temporary, { chunks, sync: options.sync !== false, blocking: options.blocking ?? 0 });
    if (options.keep && !options.keep()) {
      await files.remove(temporary);
      return false;
    }
    await files.rename(temporary, path);
  } catch (error) {
    await files.remove(temporary).catch(() => undefined);
    throw error;
  }
  if (options.sync !== false) await files.syncDirectory(dirname(path));
  return true;
}

/** Makes the content of a file survive a power cut; its name needs a sync of the directory. */
export async function syncWhole(files: FilePort, path: string): Promise<void> {
  const descriptor = await files.open(path, 'update');
  try {
    await files.sync(descriptor);
  } finally {
    await files.close(descriptor);
  }
}

/** Makes what was removed from a directory stay away; nothing to do when the directory is not there. */
export async function syncIfThere(files: FilePort, directory: string): Promise<void> {
  try {
    await files.syncDirectory(directory);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

/** Creates a directory of the store and makes it survive a power cut: every level from the root down is synced. */
export async function ensureDirectory(files: FilePort, root: string, path: string): Promise<void> {
  await files.makeDirectory(path);
  for (let at = dirname(path); at.length >= root.length; at = dirname(at)) {
    await files.syncDirectory(at);
    if (at === root || at === dirname(at)) return;
  }
}

/** The same, once for every directory. */
export function createEnsureDirectory(files: FilePort, root: string): (path: string) => Promise<void> {
  const ensured = new Set<string>();
  return async (path) => {
    if (ensured.has(path)) return;
    await ensureDirectory(files, root, path);
    ensured.add(path);
  };
}

async function writeAll(
  files: FilePort,
  path: string,
  {
    chunks,
    sync,
    blocking,
  }: { chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>; sync: boolean; blocking: number },
): Promise<void> {
  const descriptor = await files.open(path, 'replace');
  try {
    for await (const bytes of chunks) await writeBytes(files, descriptor, { bytes, blocking });
    if (sync) await files.sync(descriptor);
  } finally {
    await files.close(descriptor);
  }
}
