import { type OpenDirectory, openRoot } from './open-directory.ts';
import type { RawPath } from './raw-path.ts';

/** Goes from directory to directory below a root and keeps the way open, so that neighbours cost no new look-up. */
export interface DirectoryCursor {
  /** Opens a directory, no link on the way. Throws ENOENT, ENOTDIR or ELOOP. Good until the next call. */
  open(path: RawPath): OpenDirectory;
  /** Forgets what is open below, because a step may replace it. */
  close(): void;
}

/** `root` is the workspace, a real absolute path; it is opened with the first step. */
export function createDirectoryCursor(root: string): DirectoryCursor {
  let way: { name: RawPath; directory: OpenDirectory }[] = [];
  const leave = (depth: number): void => {
    for (const { directory } of way.splice(depth).reverse()) directory.close();
  };
  return {
    open(path) {
      const names = path === '' ? [] : path.split('/');
      if (way.length === 0) way.push({ name: '', directory: openRoot(root) });
      let depth = 0;
      while (depth < names.length && way[depth + 1]?.name === names[depth]) depth += 1;
      leave(depth + 1);
      for (const name of names.slice(depth)) {
        const parent = way[way.length - 1];
        if (!parent) throw new Error('The cursor lost its root.');
        way.push({ name, directory: parent.directory.open(name) });
      }
      const last = way[way.length - 1];
      if (!last) throw new Error('The cursor lost its root.');
      return last.directory;
    },
    close() {
      leave(0);
      way = [];
    },
  };
}
