import type { DirectoryNode, FileNode, SnapshotNode } from './snapshot-node.ts';

// The last walk as JSON, so that the first snapshot after a restart reads no content. Losing it costs time only.

const version = 1;
type Packed = PackedDirectory | PackedFile;
type PackedFile = ['f' | 'l', mode: number, size: number, mtimeMs: number, ctimeMs: number, ino: number, oid: string];
type PackedDirectory = ['d', mode: number, rules: string, oid: string, entries: [string, Packed][]];

/** A walk as text. What is not trusted loses its object, so that it is read again. */
export function packStats(root: DirectoryNode): string {
  return JSON.stringify({ version, root: pack(root) });
}

/** Undefined for anything that is not a cache of this version. */
export function unpackStats(text: string | undefined): DirectoryNode | undefined {
  try {
    const cache: { version?: number; root?: PackedDirectory } = JSON.parse(text ?? '{}');
    return cache.version === version && cache.root ? unpackDirectory(cache.root) : undefined;
  } catch {
    return undefined;
  }
}

function pack(node: SnapshotNode): Packed {
  if (node.kind === 'directory')
    return ['d', node.mode, node.rules, node.oid, [...node.entries].map(([name, child]) => [name, pack(child)])];
  const { mode, size, mtimeMs, ctimeMs, ino, trusted } = node;
  return [node.kind === 'file' ? 'f' : 'l', mode, size, mtimeMs, ctimeMs, ino, trusted ? node.oid : ''];
}

function unpackDirectory([, mode, rules, oid, entries]: PackedDirectory): DirectoryNode {
  const children = entries.map(([name, child]): [string, SnapshotNode] => [
    name,
    child[0] === 'd' ? unpackDirectory(child) : unpackFile(child),
  ]);
  return { kind: 'directory', mode, rules, oid, pending: 0, entries: new Map(children) };
}

function unpackFile([kind, mode, size, mtimeMs, ctimeMs, ino, oid]: PackedFile): FileNode {
  return { kind: kind === 'f' ? 'file' : 'link', mode, size, mtimeMs, ctimeMs, ino, oid, trusted: oid !== '' };
}
