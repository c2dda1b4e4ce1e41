import { posix } from 'node:path';
import { ServiceError } from '../wire/errors.ts';
import { limits } from '../wire/limits.ts';

/**
 * The lexical half of containment: what is wrong with a path before any file is touched. Returns it in normal form
 * (`.` for the workspace itself, no trailing slash). Links are the other half, see open-inside.ts.
 * Throws ServiceError `bad_path`, `invalid_path` or `outside_workspace`.
 */
export function normalisePath(path: string): string {
  if (path.length > limits.pathChars)
    throw new ServiceError('bad_path', `The path is longer than ${limits.pathChars} characters.`);
  if (path.includes('\0')) throw new ServiceError('bad_path', 'The path contains a NUL character.');
  if (/\p{Surrogate}/u.test(path)) throw new ServiceError('bad_path', 'The path is not well-formed Unicode.');
  if (path === '') throw new ServiceError('invalid_path', 'The path is missing; "." is the workspace itself.');
  if (/^(?:[/\\]|[A-Za-z]:[/\\])/.test(path))
    throw new ServiceError('invalid_path', 'The path is absolute; give one relative to the workspace.');
  const normal = posix.normalize(path).replace(/\/$/, '');
  if (normal === '..' || normal.startsWith('../'))
    throw new ServiceError('outside_workspace', 'The path leads out of the workspace.');
  return normal;
}

/** True when `path` is `root` or lies below it; both are absolute and normal. A bare prefix (`/a-evil` of `/a`) is not below. */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`);
}

/** The path of `name` in the directory `directory`, in normal form. */
export function childPath(directory: string, name: string): string {
  return directory === '.' ? name : `${directory}/${name}`;
}
