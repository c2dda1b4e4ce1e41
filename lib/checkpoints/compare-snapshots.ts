import { createTwoFilesPatch } from 'diff';
import type { FileChange, FileChanges } from '../wire/checkpoint.ts';
import { type RawPath, toText } from './raw-path.ts';
import type { Repository } from './repository.ts';
import type { Snapshot, SnapshotFile } from './snapshot-node.ts';

const most = { changes: 1_000, patchBytes: 256 * 1024, patchesBytes: 2 * 1024 * 1024, patchMs: 200, patchesMs: 3_000 };

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

/** The comparison in the shape that clients get. `patches`: with unified diffs, within bounds of size and time. */
export async function describeChanges(
  repository: Repository,
  differing: ReturnType<typeof compareSnapshots>,
  { patches }: { patches: boolean },
): Promise<FileChanges> {
  const result: FileChanges = {
    added: 0,
    changed: 0,
    deleted: 0,
    changes: [],
    truncated: differing.length > most.changes,
  };
  for (const { before, after } of differing) result[statusOf(before, after)] += 1;
  let bytesLeft = most.patchesBytes;
  const end = performance.now() + most.patchesMs;
  for (const { path, before, after } of differing.slice(0, most.changes)) {
    const change: FileChange = { path: toText(path), status: statusOf(before, after) };
    if (before) change.before = sizeOf(repository, before);
    if (after) change.after = sizeOf(repository, after);
    if (patches) {
      const within = bytesLeft > 0 && performance.now() < end;
      Object.assign(change, within ? await patchOf(repository, { change, before, after }) : { omitted: 'limit' });
      bytesLeft -= change.patch?.length ?? 0;
    }
    result.changes.push(change);
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

async function patchOf(
  repository: Repository,
  { change, before, after }: { change: FileChange; before: SnapshotFile | undefined; after: SnapshotFile | undefined },
): Promise<Pick<FileChange, 'patch' | 'omitted'>> {
  if ((change.before ?? 0) + (change.after ?? 0) > most.patchBytes) return { omitted: 'large' };
  const [from, to] = [await textOf(repository, before), await textOf(repository, after)];
  if (from === undefined || to === undefined) return { omitted: 'binary' };
  const name = change.path;
  const patch = createTwoFilesPatch(
    before ? `a/${name}` : '/dev/null',
    after ? `b/${name}` : '/dev/null',
    from,
    to,
    undefined,
    undefined,
    {
      context: 3,
      timeout: most.patchMs,
      headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
    },
  );
  return patch === undefined ? { omitted: 'limit' } : { patch };
}

/** Undefined for what is no text: a NUL byte, or no UTF-8. */
async function textOf(repository: Repository, file: SnapshotFile | undefined): Promise<string | undefined> {
  if (!file) return '';
  const { content } = await repository.read(file.oid);
  if (content.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}
