import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { deleteRef, init, listBranches, writeRef } from 'isomorphic-git';
import { readIfThere } from './durable-files.ts';
import { commitContent } from './git-commit.ts';
import { createGitFs } from './git-fs.ts';
import { objectId } from './object-batch.ts';
import type { ObjectStore } from './object-store.ts';
import { incomingPath, type RecordIndex, type StoredCheckpoint } from './record-index.ts';
import { CheckpointRefusal } from './refusal.ts';

/**
 * What a git program sees of the records: their commits, a branch for every session, HEAD at the newest. All of it follows
 * from the index, so it is not written while somebody waits for a checkpoint, but together, when the worker has time, and
 * it is not synced: the first writing after a start looks once whether a crash or a power cut took something.
 */
export interface GitView {
  /** Gives a new record its commit, which is written later. */
  name(record: Omit<StoredCheckpoint, 'sha'>): StoredCheckpoint;
  /** These have left the index. Their commits go at once, because they carry the labels; the branches wait. */
  drop(gone: readonly StoredCheckpoint[]): void;
  /** True when there is something to write. */
  readonly behind: boolean;
  /** Writes what is missing. Returns what the new commits take on disk. */
  write(): Promise<number>;
  /** Points every branch at the last checkpoint of its session, or deletes it; a crash may have left it elsewhere. */
  writeAll(): Promise<number>;
}

export interface GitViewOptions {
  store: ObjectStore;
  /** As it was read: what it lists is looked at with the first `write`. */
  index: RecordIndex;
  /** Called at every step of `write`; what it throws leaves the rest for the next time. */
  progress: () => void;
}

export function createGitView(directory: string, { store, index, progress }: GitViewOptions): GitView {
  const at = { fs: createGitFs({ durable: false, incoming: incomingPath(directory) }), gitdir: directory };
  const unwritten = new Map<string, Buffer>();
  const touched = new Set<string>();
  /** The newest commit of each session. */
  const tips = new Map(index.records.map(({ sessionId, sha }) => [sessionId, sha]));
  let unsure = index.records.length > 0;

  const view: GitView = {
    name(fields) {
      const content = commitContent(fields, tips.get(fields.sessionId));
      const sha = objectId('commit', content);
      branchOf(fields.sessionId);
      unwritten.set(sha, content);
      tips.set(fields.sessionId, sha);
      touched.add(fields.sessionId);
      return { ...fields, sha };
    },
    drop(gone) {
      for (const { sha } of gone) {
        unwritten.delete(sha);
        store.drop(sha);
      }
      for (const sessionId of new Set(gone.map((record) => record.sessionId))) {
        const last = index.records.findLast((record) => record.sessionId === sessionId);
        if (last) tips.set(sessionId, last.sha);
        else tips.delete(sessionId);
        touched.add(sessionId);
      }
    },
    get behind() {
      return unsure || unwritten.size + touched.size > 0;
    },
    async write() {
      if (unsure) lookAtAll();
      unsure = false;
      const bytes = writeCommits();
      if (touched.size === 0) return bytes;
      if (!existsSync(join(directory, 'HEAD')))
        await init({ ...at, dir: directory, bare: true, defaultBranch: 'none' });
      for (const sessionId of touched) {
        progress();
        const ref = branchOf(sessionId);
        const tip = tips.get(sessionId);
        if (tip) await writeRef({ ...at, ref, value: tip, force: true });
        else await deleteRef({ ...at, ref });
      }
      touched.clear();
      const newest = index.records.at(-1);
      if (newest)
        await writeRef({ ...at, ref: 'HEAD', value: branchOf(newest.sessionId), symbolic: true, force: true });
      return bytes;
    },
    async writeAll() {
      if (existsSync(join(directory, 'HEAD')))
        for (const name of await listBranches(at))
          if (isBranchName(name)) touched.add(name);
          // Somebody else's: what it shows may be collected, so it can't stay.
          else await deleteRef({ ...at, ref: `refs/heads/${name}` });
      return view.write();
    },
  };
  return view;

  /** Costs two looks at the disk for each record, once. */
  function lookAtAll(): void {
    const parents = new Map<string, string>();
    for (const record of index.records) {
      progress();
      const { sha, sessionId } = record;
      if (!unwritten.has(sha) && !store.isWhole(sha)) {
        const content = commitContent(record, parents.get(sessionId));
        if (objectId('commit', content) === sha) unwritten.set(sha, content);
      }
      parents.set(sessionId, sha);
    }
    for (const [sessionId, tip] of tips)
      if (readIfThere(join(directory, branchOf(sessionId)))?.trim() !== tip) touched.add(sessionId);
  }

  function writeCommits(): number {
    let bytes = 0;
    for (const [sha, content] of unwritten) {
      progress();
      bytes += store.writeLoose(sha, 'commit', content);
      unwritten.delete(sha);
    }
    return bytes;
  }
}

function branchOf(sessionId: string): string {
  if (!isBranchName(sessionId)) throw new CheckpointRefusal('The session has an id that cannot name a branch.');
  return `refs/heads/${sessionId}`;
}

function isBranchName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(name);
}
