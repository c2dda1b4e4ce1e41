import type { FileChange, FileChanges } from '../wire/checkpoint.ts';
import { createPatches } from './patches.ts';
import { type RawPath, toText } from './raw-path.ts';
import type { Repository } from './repository.ts';
import type { Snapshot, SnapshotFile } from './snapshot-node.ts';

const mostChanges = 1_000;

/** The files that differ, by path. A link counts as its target text; permission bits alone count as a change. */
export function compareSnapshots(
  from: Snapshot,
  to: Snapshot,
): { path: RawPath; before: SnapshotFile | undefined; after: SnapshotFile | undefined }[] {
  const differing = [];
  for (const [path, before] of from.files) {
    const after = to.files.get(path);
    if (!after || !isEqual(before, after)) differing.push({ path, before, after });
  }
  for (const [path, after] of to.files) if (!from.files.has(path)) differing.push({ path, before: undefined, after });
  return differing.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function isEqual(a: SnapshotFile, b: SnapshotFile): boolean {
  return a.oid === b.oid && a.kind === b.kind && (a.kind === 'link' || a.mode === b.mode);
}

/** The comparison in the shape that clients get; with unified diffs where `patchesIn` names the workspace. */
export async function describeChanges(
  repository: Repository,
  differing: ReturnType<typeof compareSnapshots>,
  { patchesIn }: { patchesIn?: string },
): Promise<FileChanges> {
  const result: FileChanges = {
    added: 0,
    changed: 0,
    deleted: 0,
    changes: [],
    truncated: differing.length > mostChanges,
  };
  for (const { before, after } of differing) result[statusOf(before, after)] += 1;
  const patches = patchesIn === undefined ? undefined : createPatches(repository, patchesIn);
  try {
    for (const { path, before, after } of differing.slice(0, mostChanges)) {
      const change: FileChange = { path: toText(path), status: statusOf(before, after) };
      if (before) change.before = sizeOf(repository, before);
      if (after) change.after = sizeOf(repository, after);
      Object.assign(change, await patches?.of(change, { path, before, after }));
      result.changes.push(change);
    }
  } finally {
    patches?.close();
  }
  return result;
}

function statusOf(before: SnapshotFile | undefined, after: SnapshotFile | undefined): FileChange['status'] {
  if (!before) return 'added';
  return after ? 'changed' : 'deleted';
}

function sizeOf({ store }: Repository, { oid, node }: SnapshotFile): number {
  return node?.size ?? store.size(oid) ?? 0;
}
