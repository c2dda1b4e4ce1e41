import { parentPath, type RawPath } from './raw-path.ts';
import type { DirectoryNode, Snapshot } from './snapshot-node.ts';

/** What a git tree can't say: permission bits, empty directories, what was left out. Kept beside the commit as JSON. */
export interface SnapshotExtras {
  /** Permission bits of what `modes` does not name. */
  fileMode: number;
  executableMode: number;
  directoryMode: number;
  modes: [RawPath, number][];
  emptyDirectories: RawPath[];
  skipped: RawPath[];
  hiddenRules: [RawPath, string][];
}

/** Where the extras are lost, git's own idea of modes holds. */
export const plainExtras: Readonly<SnapshotExtras> = {
  fileMode: 0o644,
  executableMode: 0o755,
  directoryMode: 0o755,
  modes: [],
  emptyDirectories: [],
  skipped: [],
  hiddenRules: [],
};

/** The snapshot of the workspace as it was walked. */
export function snapshotOf(
  root: DirectoryNode,
  { skipped, hiddenRules }: Pick<Snapshot, 'skipped' | 'hiddenRules'>,
): Snapshot {
  const snapshot: Snapshot = { files: new Map(), directories: new Map(), skipped, hiddenRules };
  collect(root, '', snapshot);
  return snapshot;
}

function collect(directory: DirectoryNode, path: RawPath, snapshot: Snapshot): void {
  snapshot.directories.set(path, directory.mode);
  for (const [name, node] of directory.entries) {
    const below = path === '' ? name : `${path}/${name}`;
    if (node.kind === 'directory') collect(node, below, snapshot);
    else snapshot.files.set(below, { kind: node.kind, mode: node.mode, oid: node.oid, node });
  }
}

/** What the tree of a snapshot does not say; as short as can be where most files have the same permission bits. */
export function extrasOf({ files, directories, skipped, hiddenRules }: Snapshot): SnapshotExtras {
  const plain: [RawPath, number][] = [];
  const executable: [RawPath, number][] = [];
  const filled = new Set<RawPath>(['']);
  for (const [path, { kind, mode }] of files) {
    if (kind === 'file') (mode & 0o100 ? executable : plain).push([path, mode]);
    for (let at = parentPath(path); !filled.has(at); at = parentPath(at)) filled.add(at);
  }
  const folders = [...directories].filter(([path]) => path !== '');
  const fileMode = mostCommon(plain, plainExtras.fileMode);
  const executableMode = mostCommon(executable, plainExtras.executableMode);
  const directoryMode = mostCommon(folders, plainExtras.directoryMode);
  const modes = [
    ...plain.filter(([, mode]) => mode !== fileMode),
    ...executable.filter(([, mode]) => mode !== executableMode),
    ...folders.filter(([, mode]) => mode !== directoryMode),
  ];
  const emptyDirectories = folders.map(([path]) => path).filter((path) => !filled.has(path));
  return { fileMode, executableMode, directoryMode, modes, emptyDirectories, skipped, hiddenRules };
}

function mostCommon(entries: readonly [RawPath, number][], otherwise: number): number {
  const counts = new Map<number, number>();
  for (const [, mode] of entries) counts.set(mode, (counts.get(mode) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? otherwise;
}
