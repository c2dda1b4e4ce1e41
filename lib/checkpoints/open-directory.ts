import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { fromText, type RawPath, toFsPath } from './raw-path.ts';

/**
 * A directory held open, so that whatever replaces it or its parents meanwhile, `at(name)` stays inside it. Where the
 * system has no `/proc/self/fd`, it is the plain path, and only the moment of opening is checked.
 */
export interface OpenDirectory {
  readonly fd: number;
  /** The entry, or the directory itself without a name, for calls of node:fs. */
  at(name?: RawPath): string | Buffer;
  /** The entry by its plain path: three times as fast, and only good for stat data, which may be those of something else. */
  look(name: RawPath): string | Buffer;
  /** Opens a directory below. Throws ENOTDIR or ELOOP for anything else, a link too. */
  open(name: RawPath): OpenDirectory;
  close(): void;
}

const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Systems refuse paths of 4,096 bytes; descriptors reach deeper. */
const longPath = 3_000;

/** Opens the workspace, a real absolute path. */
export function openRoot(path: string): OpenDirectory {
  return wrap(openSync(path, flags), fromText(path), existsSync('/proc/self/fd'));
}

function wrap(fd: number, path: RawPath, byDescriptor: boolean): OpenDirectory {
  const base = byDescriptor ? `/proc/self/fd/${fd}` : path;
  const at = (name?: RawPath): string | Buffer => toFsPath(name === undefined ? base : `${base}/${name}`);
  return {
    fd,
    at,
    look: (name) => (path.length < longPath ? toFsPath(`${path}/${name}`) : at(name)),
    open: (name) => wrap(openSync(at(name), flags), `${path}/${name}`, byDescriptor),
    close: () => closeSync(fd),
  };
}
