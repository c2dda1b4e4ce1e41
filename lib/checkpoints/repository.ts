import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import git from 'isomorphic-git';
import { appendLine, readIfThere, replaceFile } from './durable-files.ts';
import { createGitFs } from './git-fs.ts';
import { decodeTree } from './git-tree.ts';
import { createObjectStore, type GitObject, type ObjectStore } from './object-store.ts';
import { childPath, type RawPath } from './raw-path.ts';
import {
  extrasPath,
  indexPath,
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

/** The bare git repository of one workspace. Every session is a branch; its commits are its checkpoints. */
export interface Repository {
  readonly store: ObjectStore;
  readonly index: RecordIndex;
  /** The last walk of the workspace. */
  lastWalk: DirectoryNode | undefined;
  /**
   * Commits a tree and records it. Durable when it resolves, unless nothing changed since the newest checkpoint: then a
   * power cut may take the new record, never the state it stands for.
   */
  commit(
    checkpoint: NewCheckpoint,
    content: { tree: string; files: number; extras: SnapshotExtras },
  ): Promise<StoredCheckpoint>;
  /** Takes the newest checkpoint of a session back. */
  undoCommit(checkpoint: StoredCheckpoint): Promise<void>;
  /** Drops the records, the branch and the commits of a session at once; trees and blobs wait for the sweep. */
  forget(sessionId: string): Promise<void>;
  /** Points every branch at the last checkpoint of its session, or deletes it; a crash may have left it elsewhere. */
  alignBranches(): Promise<void>;
  readSnapshot(checkpoint: StoredCheckpoint): Promise<Snapshot>;
  read(oid: string): Promise<GitObject>;
  saveIndex(): void;
  saveStats(): void;
  dropStats(): void;
}

/** The index is written whole again after so many lines. */
const mostRecent = 200;

const author = { name: 'Agent Session Service', email: 'checkpoints@service.invalid', timezoneOffset: 0 };

/** Opens the repository, making it when it is missing. `identity` is written into a new index. */
export async function openRepository(
  directory: string,
  { durable, identity }: { durable: boolean; identity: { tenantId: string; workspace: string } },
): Promise<Repository> {
  const at = { fs: createGitFs({ durable }), gitdir: directory };
  const unsynced = { fs: createGitFs({ durable: false }), gitdir: directory };
  /** The extras of the newest checkpoint as text, and where HEAD points; unknown after a start. */
  let newestExtras: string | undefined;
  let head: string | undefined;
  let recent = 0;
  if (!existsSync(join(directory, 'HEAD'))) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    await git.init({ ...at, dir: directory, bare: true, defaultBranch: 'none' });
  }
  const store = createObjectStore(directory, { durable });
  const stored = parseIndex(readIfThere(indexPath(directory)));
  const index: RecordIndex = joinRecent(
    stored ?? { version: 1, ...identity, generation: 0, bytes: 0, sweep: false, records: [] },
    stored && readIfThere(recentPath(directory)),
  );
  const repository: Repository = {
    store,
    index,
    lastWalk: unpackStats(readIfThere(statCachePath(directory))),

    async commit({ at: time, ...fields }, { tree, files, extras }) {
      const ref = branchOf(fields.sessionId);
      // From the index: a commit whose record a crash prevented is nobody's parent.
      const parent = lastOf(fields.sessionId)?.sha;
      const person = { ...author, timestamp: Math.floor(time / 1000) };
      const message = `${oneLine(fields.label)}\n\nCheckpoint: ${fields.id}\n`;
      const commit = { tree, parent: parent === undefined ? [] : [parent], author: person, committer: person, message };
      const text = JSON.stringify(extras);
      const newest = index.records.at(-1);
      // Nothing changed: what a restore needs is on disk already, and the rest is not worth a sync before every message.
      const unchanged = newest?.tree === tree && newestExtras === text;
      const to = unchanged ? unsynced : at;
      const sha = await git.writeCommit({ ...to, commit });
      if (!unchanged) replaceFile(extrasPath(directory, fields.id), text, { durable });
      await git.writeRef({ ...to, ref, value: sha, force: true });
      if (head !== ref) await git.writeRef({ ...to, ref: 'HEAD', value: ref, symbolic: true, force: true });
      head = ref;
      newestExtras = text;
      const skipped = extras.skipped.length > 0 ? { skipped: extras.skipped.length } : {};
      const shared = unchanged ? { extrasOf: newest.extrasOf ?? newest.id } : {};
      const record = { ...fields, sha, createdAt: new Date(time).toISOString(), files, ...skipped, tree, ...shared };
      index.bytes += store.looseBytes(sha);
      index.records.push(record);
      if (recent === 0 || recent >= mostRecent) repository.saveIndex();
      else appendLine(recentPath(directory), recentLine(index, record), { durable: durable && !unchanged });
      recent += 1;
      return record;
    },

    async undoCommit(checkpoint) {
      index.records = index.records.filter(({ id }) => id !== checkpoint.id);
      repository.saveIndex();
      await alignBranch(checkpoint.sessionId);
      store.drop(checkpoint.sha);
      dropExtras([checkpoint]);
    },

    async alignBranches() {
      for (const sessionId of await git.listBranches(at)) await alignBranch(sessionId);
    },

    async forget(sessionId) {
      const gone = index.records.filter((record) => record.sessionId === sessionId);
      if (gone.length === 0) return;
      index.records = index.records.filter((record) => record.sessionId !== sessionId);
      index.sweep = true;
      repository.saveIndex();
      await alignBranch(sessionId);
      const last = index.records.at(-1);
      if (last)
        await git.writeRef({ ...at, ref: 'HEAD', value: branchOf(last.sessionId), symbolic: true, force: true });
      head = undefined;
      for (const { sha } of gone) store.drop(sha);
      dropExtras(gone);
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
      const found = await git.readObject({ ...at, oid, format: 'content' }).catch(() => undefined);
      if (found?.format !== 'content' || found.type === 'tag')
        throw new CheckpointRefusal('A part of this checkpoint is missing on disk; it can not be read any more.');
      return { type: found.type as GitObject['type'], content: Buffer.from(found.object) };
    },

    saveIndex() {
      index.generation += 1;
      replaceFile(indexPath(directory), JSON.stringify(index), { durable });
      // What is left of an older generation is void; the new one starts empty.
      replaceFile(recentPath(directory), '', { durable: false });
      recent = 1;
    },
    saveStats() {
      if (!repository.lastWalk) return;
      try {
        replaceFile(statCachePath(directory), packStats(repository.lastWalk), { durable: false });
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

  function lastOf(sessionId: string): StoredCheckpoint | undefined {
    return index.records.findLast((record) => record.sessionId === sessionId);
  }

  /** Removes the extras that no other checkpoint shares. */
  function dropExtras(gone: readonly StoredCheckpoint[]): void {
    newestExtras = undefined;
    const used = new Set(index.records.map(({ id, extrasOf = id }) => extrasOf));
    for (const { id, extrasOf = id } of gone)
      if (!used.has(extrasOf)) rmSync(extrasPath(directory, extrasOf), { force: true });
  }

  async function alignBranch(sessionId: string): Promise<void> {
    const ref = branchOf(sessionId);
    const last = lastOf(sessionId);
    if (last) await git.writeRef({ ...at, ref, value: last.sha, force: true });
    else await git.deleteRef({ ...at, ref });
  }
}

function branchOf(sessionId: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(sessionId))
    throw new CheckpointRefusal('The session has an id that can not name a branch.');
  return `refs/heads/${sessionId}`;
}

/** A label as the subject of a commit: control characters, which git refuses or would split, become spaces. */
function oneLine(label: string): string {
  return label.replace(/[\p{Cc} ]+/gu, ' ').trim() || 'Checkpoint';
}

async function expandTree(repository: Repository, tree: string, extras: SnapshotExtras): Promise<Snapshot> {
  const modes = new Map(extras.modes);
  const snapshot: Snapshot = { files: new Map(), directories: new Map(), skipped: extras.skipped };
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
