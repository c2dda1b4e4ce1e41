import { rmSync } from 'node:fs';
import { readObject } from 'isomorphic-git';
import { appendLine, readIfThere, replaceFile } from './durable-files.ts';
import { createGitFs } from './git-fs.ts';
import { decodeTree } from './git-tree.ts';
import { createGitView, type GitView } from './git-view.ts';
import { createObjectStore, type GitObject, type ObjectStore } from './object-store.ts';
import { childPath, type RawPath } from './raw-path.ts';
import {
  extrasPath,
  incomingPath,
  indexPath,
  isWholeRecent,
  joinRecent,
  parseIndex,
  type RecordIndex,
  recentLine,
  recentPath,
  type StoredCheckpoint,
  statCachePath,
} from './record-index.ts';
import { CheckpointRefusal } from './refusal.ts';
import { plainExtras, type SnapshotExtras } from './snapshot-extras.ts';
import type { DirectoryNode, Snapshot } from './snapshot-node.ts';
import { packStats, unpackStats } from './stat-cache.ts';

export interface NewCheckpoint {
  id: string;
  label: string;
  sessionId: string;
  messageId?: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/**
 * The bare git repository of one workspace. Its index is the truth; every session is also a branch, its checkpoints
 * commits.
 */
export interface Repository {
  readonly store: ObjectStore;
  readonly index: RecordIndex;
  /** The records as git shows them. */
  readonly view: Pick<GitView, 'behind' | 'writeAll'>;
  /** The last walk of the workspace. */
  lastWalk: DirectoryNode | undefined;
  /**
   * Records a tree that is stored, under each of these names. Durable when it returns, unless nothing changed since the
   * newest checkpoint: then a power cut may take the new record, never the state it stands for. The commit follows with
   * `writeView`.
   */
  commit(
    checkpoints: readonly NewCheckpoint[],
    content: { tree: string; files: number; extras: SnapshotExtras },
  ): StoredCheckpoint[];
  /** Takes checkpoints back that nothing was built upon. */
  undoCommit(checkpoints: readonly StoredCheckpoint[]): void;
  /** Drops the records, the branch and the commits of a session at once; trees and blobs wait for the sweep. */
  forget(sessionId: string): Promise<void>;
  /** Brings what git shows up to the records; then, now and then, writes the index whole. */
  writeView(): Promise<void>;
  readSnapshot(checkpoint: StoredCheckpoint): Promise<Snapshot>;
  read(oid: string): Promise<GitObject>;
  saveIndex(): void;
  saveStats(): void;
  dropStats(): void;
}

/** The index is written whole again after so many lines. */
const mostRecent = 200;

export interface RepositoryOptions {
  durable: boolean;
  /** Written into a new index. */
  identity: { tenantId: string; workspace: string };
  /** Called at every step of what may take long; what it throws ends the operation. */
  progress: () => void;
}

/** Opens the repository, making it when it is missing. */
export function openRepository(directory: string, { durable, identity, progress }: RepositoryOptions): Repository {
  /** The extras of the newest checkpoint as text; unknown after a start. */
  let newestExtras: string | undefined;
  const incoming = incomingPath(directory);
  const store = createObjectStore(directory, { durable });
  const stored = parseIndex(readIfThere(indexPath(directory)));
  const before = stored?.records.length ?? 0;
  const recentText = stored && readIfThere(recentPath(directory));
  let torn = !isWholeRecent(recentText);
  const index: RecordIndex = joinRecent(
    stored ?? { version: 1, ...identity, generation: 0, bytes: 0, sweep: false, records: [] },
    recentText,
  );
  /** Lines since the index was written whole. */
  let recent = index.records.length - before;
  const view = createGitView(directory, { store, index, progress });
  const repository: Repository = {
    store,
    index,
    view,
    lastWalk: unpackStats(readIfThere(statCachePath(directory))),

    commit(checkpoints, { tree, files, extras }) {
      const text = JSON.stringify(extras);
      const newest = index.records.at(-1);
      // Nothing changed: what a restore needs is on disk already, and the rest is not worth a sync before every message.
      const unchanged = newest?.tree === tree && newestExtras === text;
      const extrasOf = unchanged ? (newest.extrasOf ?? newest.id) : (checkpoints[0]?.id ?? '');
      if (!unchanged) replaceFile(extrasPath(directory, extrasOf), text, { durable, incoming });
      const skipped = extras.skipped.length > 0 ? { skipped: extras.skipped.length } : {};
      const records = checkpoints.map(({ at: time, ...fields }) => {
        const shared = fields.id === extrasOf ? {} : { extrasOf };
        return view.name({ ...fields, createdAt: new Date(time).toISOString(), files, ...skipped, tree, ...shared });
      });
      if (index.generation === 0 || torn) repository.saveIndex();
      const lines = records.map((record) => recentLine(index, record)).join('');
      appendLine(recentPath(directory), lines, { durable: durable && !unchanged });
      newestExtras = text;
      index.records.push(...records);
      recent += records.length;
      return records;
    },

    undoCommit(checkpoints) {
      const gone = new Set(checkpoints.map(({ id }) => id));
      index.records = index.records.filter(({ id }) => !gone.has(id));
      view.drop(checkpoints);
      repository.saveIndex();
      dropExtras(checkpoints);
    },

    async forget(sessionId) {
      const gone = index.records.filter((record) => record.sessionId === sessionId);
      if (gone.length === 0) return;
      index.records = index.records.filter((record) => record.sessionId !== sessionId);
      index.sweep = true;
      view.drop(gone);
      dropExtras(gone);
      // The records first, which hold what was said; what git shows follows, now or after a crash.
      repository.saveIndex();
      await repository.writeView();
    },

    async writeView() {
      index.bytes += await view.write();
      if (recent >= mostRecent) repository.saveIndex();
    },

    async readSnapshot({ id, extrasOf = id, tree }) {
      const text = readIfThere(extrasPath(directory, extrasOf)) ?? '{}';
      const extras: SnapshotExtras = { ...plainExtras, ...JSON.parse(text) };
      return expandTree(repository, tree, extras);
    },

    async read(oid) {
      const object = store.read(oid);
      if (object) return object;
      // A delta: somebody ran another git's housekeeping here.
      const at = { fs: createGitFs({ durable: false, incoming }), gitdir: directory };
      const found = await readObject({ ...at, oid, format: 'content' }).catch(() => undefined);
      if (found?.format !== 'content' || found.type === 'tag')
        throw new CheckpointRefusal('A part of this checkpoint is missing on disk; it cannot be read any more.');
      return { type: found.type as GitObject['type'], content: Buffer.from(found.object) };
    },

    saveIndex() {
      index.generation += 1;
      replaceFile(indexPath(directory), JSON.stringify(index), { durable, incoming });
      // What is left of an older generation is void; the new one starts empty.
      replaceFile(recentPath(directory), '', { durable, incoming });
      recent = 0;
      torn = false;
    },
    saveStats() {
      if (!repository.lastWalk) return;
      try {
        replaceFile(statCachePath(directory), packStats(repository.lastWalk), { durable: false, incoming });
      } catch {
        // Without it the first snapshot after a restart reads every file, and that is all.
        return;
      }
    },
    dropStats() {
      repository.lastWalk = undefined;
      rmSync(statCachePath(directory), { force: true });
    },
  };
  return repository;

  /** Removes the extras that no other checkpoint shares. */
  function dropExtras(gone: readonly StoredCheckpoint[]): void {
    newestExtras = undefined;
    const used = new Set(index.records.map(({ id, extrasOf = id }) => extrasOf));
    for (const { id, extrasOf = id } of gone)
      if (!used.has(extrasOf)) rmSync(extrasPath(directory, extrasOf), { force: true });
  }
}

async function expandTree(repository: Repository, tree: string, extras: SnapshotExtras): Promise<Snapshot> {
  const modes = new Map(extras.modes);
  const { skipped, hiddenRules } = extras;
  const snapshot: Snapshot = { files: new Map(), directories: new Map(), skipped, hiddenRules };
  const expand = async (oid: string, path: RawPath): Promise<void> => {
    snapshot.directories.set(path, modes.get(path) ?? extras.directoryMode);
    for (const entry of decodeTree((await repository.read(oid)).content)) {
      const below = childPath(path, entry.name);
      if (entry.mode === '40000') await expand(entry.oid, below);
      else {
        const usual = entry.mode === '100755' ? extras.executableMode : extras.fileMode;
        const kind = entry.mode === '120000' ? 'link' : 'file';
        snapshot.files.set(below, { kind, mode: modes.get(below) ?? usual, oid: entry.oid });
      }
    }
  };
  await expand(tree, '');
  for (const path of extras.emptyDirectories)
    for (let at = path; !snapshot.directories.has(at); at = at.slice(0, Math.max(0, at.lastIndexOf('/'))))
      snapshot.directories.set(at, modes.get(at) ?? extras.directoryMode);
  return snapshot;
}
