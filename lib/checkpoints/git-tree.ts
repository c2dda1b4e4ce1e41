import type { RawPath } from './raw-path.ts';

/** The only modes a snapshot uses. */
export type GitMode = '40000' | '100644' | '100755' | '120000';

export interface TreeEntry {
  mode: GitMode;
  name: RawPath;
  oid: string;
}

/** The content of a git tree object: entries by the bytes of their names, directories as if they ended in `/`. */
export function encodeTree(entries: readonly TreeEntry[]): Buffer {
  const key = (entry: TreeEntry): string => (entry.mode === '40000' ? `${entry.name}/` : entry.name);
  const sorted = entries.map((entry) => ({ entry, key: key(entry) })).sort((a, b) => (a.key < b.key ? -1 : 1));
  return Buffer.concat(
    sorted.flatMap(({ entry: { mode, name, oid } }) => [
      Buffer.from(`${mode} ${name}\0`, 'latin1'),
      Buffer.from(oid, 'hex'),
    ]),
  );
}

/** Throws on a tree that no snapshot could have: then the repository was changed by somebody else. */
export function decodeTree(content: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space);
    const mode = content.toString('latin1', at, space);
    const name = content.toString('latin1', space + 1, end);
    if (space < 0 || end < 0 || !isMode(mode) || !isName(name)) throw new Error('A tree of the snapshot is damaged.');
    entries.push({ mode, name, oid: content.toString('hex', end + 1, end + 21) });
    at = end + 21;
  }
  return entries;
}

function isMode(mode: string): mode is GitMode {
  return mode === '100644' || mode === '100755' || mode === '120000' || mode === '40000';
}

function isName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !/^\.git$/i.test(name);
}
