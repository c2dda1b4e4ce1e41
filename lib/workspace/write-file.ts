import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { systemCode } from '../base/caught.ts';
import { ServiceError } from '../wire/errors.ts';
import { openDirectory } from './list-directory.ts';
import { type Bounds, directoryPath, type Opened, openInside } from './open-inside.ts';
import { notRegular, pathFailure } from './path-failure.ts';
import { childPath, isInside, normalisePath } from './workspace-path.ts';

const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const temporaryFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Writes a whole file: temporary file, fsync, rename, all through the verified descriptor of its directory, so that a
 * reader sees the old content or the new and a link that changes meanwhile leads nowhere. Makes missing directories.
 * A link to a file inside is written through; mode and owner of a file that was there are kept.
 */
export async function writeFile(
  bounds: Bounds,
  path: string,
  content: string | Uint8Array,
): Promise<{ created: boolean; bytes: number }> {
  const target = await followLink(bounds, writablePath(path));
  const parent = await openOrMakeDirectory(bounds, dirname(target));
  try {
    const name = basename(target);
    // Both are checked on the way it was asked for and on the way it really is.
    if (bounds.isOwnPath(join(parent.realPath, name)))
      throw new ServiceError('forbidden', 'This path belongs to the service itself.');
    writablePath(relative(bounds.root, join(parent.realPath, name)));
    const before = await lstat(`${directoryPath(parent)}/${name}`).catch(() => undefined);
    if (before?.isDirectory()) throw new ServiceError('invalid_path', 'The path is a directory, not a file.');
    if (before !== undefined && !before.isFile()) throw notRegular();
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    await replace(directoryPath(parent), name, bytes, before);
    return { created: before === undefined, bytes: bytes.length };
  } catch (error) {
    throw systemCode(error) === undefined ? error : await pathFailure(bounds, target, error);
  } finally {
    await parent.handle.close();
  }
}

/** The normal form of a path that may be written. Throws ServiceError `forbidden` below a `.git`. */
function writablePath(path: string): string {
  const normal = normalisePath(path);
  if (normal === '.') throw new ServiceError('invalid_path', 'The path is the workspace itself, not a file.');
  if (normal.split('/').some((segment) => segment.toLowerCase() === '.git'))
    throw new ServiceError(
      'forbidden',
      'Files inside a .git directory are not written: hooks and settings there run programs. Use git itself.',
    );
  return normal;
}

async function followLink(bounds: Bounds, path: string): Promise<string> {
  const absolute = join(bounds.root, path);
  const stats = await lstat(absolute).catch(() => undefined);
  if (!stats?.isSymbolicLink()) return path;
  const real = await realpath(absolute).catch(async (error) => {
    throw await pathFailure(bounds, path, error);
  });
  if (!isInside(bounds.root, real))
    throw new ServiceError('outside_workspace', 'The path leads out of the workspace through a link.');
  return writablePath(relative(bounds.root, real));
}

async function openOrMakeDirectory(bounds: Bounds, path: string): Promise<Opened> {
  try {
    return await openDirectory(bounds, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'not_found') || path === '.') throw error;
  }
  let at = await openDirectory(bounds, '.');
  for (const segment of path.split('/')) {
    const parent = at;
    try {
      at = await step(bounds, parent, segment);
    } finally {
      await parent.handle.close();
    }
  }
  return at;
}

/** The directory `segment` of an open one, made when it is missing. */
async function step(bounds: Bounds, parent: Opened, segment: string): Promise<Opened> {
  const path = childPath(parent.path, segment);
  if (bounds.isOwnPath(join(parent.realPath, segment)))
    throw new ServiceError('forbidden', 'This path belongs to the service itself.');
  try {
    await mkdir(`${directoryPath(parent)}/${segment}`);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw await pathFailure(bounds, path, error);
    return openDirectory(bounds, path);
  }
  // Made a moment ago through the parent's descriptor: whatever stands there now must be no link.
  return openInside(bounds, path, directoryFlags);
}

async function replace(directory: string, name: string, bytes: Uint8Array, before: Stats | undefined): Promise<void> {
  const temporary = `${directory}/.${randomBytes(8).toString('hex')}.tmp`;
  const handle = await open(temporary, temporaryFlags, 0o666);
  try {
    await fill(handle, bytes, before);
    await rename(temporary, `${directory}/${name}`);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function fill(handle: FileHandle, bytes: Uint8Array, before: Stats | undefined): Promise<void> {
  try {
    await handle.writeFile(bytes);
    if (before !== undefined) {
      const made = await handle.stat();
      // Only a privileged service can give a file away; elsewhere it belongs to the service, like any new file.
      if (made.uid !== before.uid || made.gid !== before.gid)
        await handle.chown(before.uid, before.gid).catch(() => undefined);
      await handle.chmod(before.mode & 0o777);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}
