import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import git from 'isomorphic-git';
import { readIfThere, replaceFile } from './durable-files.ts';
import { createGitFs } from './git-fs.ts';
import { decodeTree } from './git-tree.ts';
import { createObjectStore, type GitObject, type ObjectStore } from './object-store.ts';
import { childPath, type RawPath } from './raw-path.ts';
import {
  extrasPath,
  indexPath,
  parseIndex,
  type RecordIndex,
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
  /** Commits a tree and records it. Durable when it resolves. */
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

const author = { name: 'Agent Session Service', email: 'checkpoints@service.invalid', timezoneOffset: 0 };

/** Opens the repository, making it when it is missing. `identity` is written into a new index. */
export async function openRepository(
  directory: string,
  { durable, identity }: { durable: boolean; identity: { tenantId: string; workspace: string } },
): Promise<Repository> {
  const fs = createGitFs({ durable });
  const at = { fs, gitdir: directory };
  if (!existsSync(join(directory, 'HEAD'))) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    await git.init({ ...at, dir: directory, bare: true, defaultBranch: 'none' });
  }
  const store = createObjectStore(directory, { durable });
  const index: RecordIndex = parseIndex(readIfThere(indexPath(directory))) ?? {
    version: 1,
    ...identity,
    bytes: 0,
    sweep: false,
    records: [],
  };
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
      const sha = await git.writeCommit({ ...at, commit });
      replaceFile(extrasPath(directory, fields.id), JSON.stringify(extras), { durable });
      await git.writeRef({ ...at, ref, value: sha, force: true });
      await git.writeRef({ ...at, ref: 'HEAD', value: ref, symbolic: true, force: true });
      const skipped = extras.skipped.length > 0 ? { skipped: extras.skipped.length } : {};
      const record = { ...fields, sha, createdAt: new Date(time).toISOString(), files, ...skipped, tree };
      index.bytes += store.looseBytes(sha);
      index.records.push(record);
      repository.saveIndex();
      return record;
    },

    async undoCommit(checkpoint) {
      index.records = index.records.filter(({ id }) => id !== checkpoint.id);
      repository.saveIndex();
      await alignBranch(checkpoint.sessionId);
      store.drop(checkpoint.sha);
      rmSync(extrasPath(directory, checkpoint.id), { force: true });
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
      for (const { id, sha } of gone) {
        store.drop(sha);
        rmSync(extrasPath(directory, id), { force: true });
      }
    },

    async readSnapshot({ id, tree }) {
      const extras: SnapshotExtras = { ...plainExtras, ...JSON.parse(readIfThere(extrasPath(directory, id)) ?? '{}') };
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

    saveIndex: () => replaceFile(indexPath(directory), JSON.stringify(index), { durable }),
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
