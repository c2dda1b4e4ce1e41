import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The names of a path as they are compared: letter case and Unicode form are ignored, because some file systems ignore them. */
export function segmentsOf(path: string): string[] {
  return path
    .normalize('NFC')
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '');
}

/** The real path of the part that exists, and the rest as it is. Blocking. */
export function resolveLinks(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(resolveLinks(parent), basename(path));
  }
}
