import type { SessionRecord } from '../wire/session.ts';
import { lengthAfter } from './change.ts';
import type { LoggedCommit } from './log-record.ts';

/** What the driver knows of a session without its transcript. */
export interface SessionEntry {
  record: SessionRecord;
  /** The last durable commit's place in the log. */
  lsn: number;
  /** Messages in the transcript, hidden ones included. */
  length: number;
  /** What the snapshot on disk holds; both 0 when there is none. */
  snapshot: { lsn: number; revision: number };
  /** Durable commits that the snapshot does not hold, oldest first. */
  pending: LoggedCommit[];
  deleted: boolean;
  /** The checkpoint of the index on disk names the session. */
  inIndex: boolean;
  /** The snapshot being written now. */
  writing: Promise<void> | undefined;
}

/** The head of a snapshot file. */
export interface SnapshotHead {
  lsn: number;
  length: number;
  session: SessionRecord;
}

/** A session whose first record is this commit. */
export function createEntry({ lsn, commit }: LoggedCommit, session: SessionRecord): SessionEntry {
  return {
    ...emptyEntry({ ...session, revision: commit.revision }, lsn, 0),
    snapshot: { lsn: 0, revision: 0 },
    pending: [{ lsn, commit }],
  };
}

/** A session as its snapshot (or the index) has it. */
export function entryFromHead(head: SnapshotHead): SessionEntry {
  return emptyEntry(head.session, head.lsn, head.length);
}

/** Folds one durable commit (not `created`, not `deleted`) into what is known. */
export function advance(entry: SessionEntry, logged: LoggedCommit): void {
  const { change, revision } = logged.commit;
  if (change.kind === 'created' || change.kind === 'deleted') return;
  entry.record = { ...entry.record, ...change.fields, revision };
  entry.lsn = logged.lsn;
  entry.length = lengthAfter(entry.length, change);
  entry.pending.push(logged);
}

/** Why the pending commits don't continue the snapshot; undefined when they do. */
export function gapIn(entry: SessionEntry): string | undefined {
  let revision = entry.snapshot.revision;
  for (const { commit } of entry.pending) {
    if (commit.revision !== revision + 1) return `revision ${revision + 1} is missing`;
    revision = commit.revision;
  }
  return revision === entry.record.revision ? undefined : `revision ${revision + 1} is missing`;
}

/** Notes that a snapshot is on disk. */
export function snapshotTaken(entry: SessionEntry, lsn: number, revision: number): void {
  entry.snapshot = { lsn, revision };
  entry.pending = entry.pending.filter((logged) => logged.commit.revision > revision);
}

function emptyEntry(record: SessionRecord, lsn: number, length: number): SessionEntry {
  return {
    record,
    lsn,
    length,
    snapshot: { lsn, revision: record.revision },
    pending: [],
    deleted: false,
    inIndex: false,
    writing: undefined,
  };
}
