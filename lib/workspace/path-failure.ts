import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { systemCode } from '../base/caught.ts';
import { ServiceError } from '../wire/errors.ts';
import { isInside } from './workspace-path.ts';

/**
 * The answer for a path that could not be opened. What lies behind a link that leaves the workspace is always
 * `outside_workspace`, there or not: otherwise a link could be used to ask which files exist on the machine.
 */
export async function pathFailure(bounds: { root: string }, path: string, error: unknown): Promise<Error> {
  const code = systemCode(error);
  if (code === 'ENAMETOOLONG')
    return new ServiceError('bad_path', 'A name in the path is too long for the file system.');
  if (await leavesThroughLink(bounds.root, join(bounds.root, path)))
    return new ServiceError('outside_workspace', 'The path leads out of the workspace through a link.');
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP')
    return new ServiceError('not_found', 'There is nothing at this path.');
  if (code === 'EACCES' || code === 'EPERM')
    return new ServiceError('forbidden', 'The service has no permission for this path.');
  if (code === 'ENXIO' || code === 'ENODEV') return notRegular();
  return error instanceof Error ? error : new Error(String(error));
}

/** The error for a pipe, a socket or a device. */
export function notRegular(): ServiceError {
  return new ServiceError('invalid_path', 'The path is neither a regular file nor a directory.');
}

/** Follows links as far as they exist; a dangling one is judged by the path it names. */
async function leavesThroughLink(root: string, absolute: string): Promise<boolean> {
  for (let path = absolute; isInside(root, path) && path !== root; path = dirname(path)) {
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined) return !isInside(root, real);
    const dangling = await lstat(path).then(
      (stats) => stats.isSymbolicLink(),
      () => false,
    );
    if (dangling) {
      const parent = await realpath(dirname(path)).catch(() => root);
      if (!isInside(root, resolve(parent, await readlink(path).catch(() => '.')))) return true;
    }
  }
  return false;
}
