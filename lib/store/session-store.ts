import type { StoredMessage } from '../wire/message.ts';
import type { SessionRecord } from '../wire/session.ts';
import type { SessionCommit, SessionState } from './change.ts';
import type { MessageHits, MessageSearch } from './message-search.ts';

/** Reaches a session that is in memory, so that a driver need not read back what it was given. */
export type ResidentSession = (tenantId: string, sessionId: string) => SessionState | undefined;

export interface OpenOptions {
  /** Called when a driver writes a whole session; the state may be ahead of the commits that are already durable. */
  resident: ResidentSession;
}

export interface OpenedStore {
  /** Every session of every tenant, as of the last durable commit. Reading it touches no transcript. */
  sessions: SessionRecord[];
  /** What recovery had to do, in words for the log; empty after a clean stop. */
  findings: string[];
  /** Sessions that are not in the list and were not deleted either: what is left of them was put aside, or could not be read. */
  aside: string[];
  /** True when sessions may be missing that nothing names any more: nothing may be taken for a deleted session's left-over then. */
  incomplete: boolean;
}

/** What the log of a driver did since the process started. */
export interface LogFigures {
  /** Commits that became durable. */
  commits: number;
  /** Writes that carried them; one or more commits each. */
  batches: number;
  /** Syncs of the disk; none with `storage.durability: process`. */
  syncs: number;
  /** What the file driver wrote; about what the changes hold, in characters, of the SQL driver. */
  bytes: number;
  /** Batches that could not be stored. */
  failures: number;
}

/**
 * Why changes are refused for a while: the disk is full (ends of runs and deletions are still stored), or can't be written.
 * `unavailable`: it is not known yet what became of changes that were under way.
 */
export type StoreTrouble = 'full' | 'read-only' | 'unavailable';

/**
 * Where sessions survive (contract: storage; two drivers, one contract test).
 * One process per data directory; every method may be called at any time between `open` and `close`.
 */
export interface SessionStore {
  /** Recovers and takes the directory. Throws an Error with `exitCode` 78 when it can't be used. */
  open(options: OpenOptions): Promise<OpenedStore>;
  /** Resolves once the commit would survive a power cut. Commits become durable in the order of the calls. Rejects when it can't be stored; then it is as if it had not been made, except after an error named `StoreInDoubt`: the next start knows. The id of a deleted session may come again behind a `flush`. */
  commit(commit: SessionCommit): Promise<void>;
  /** The transcript as of the last durable commit. Rejects when the session is not there, and as `TranscriptUnreadable` when it is and can't be read. */
  readMessages(tenantId: string, sessionId: string): Promise<StoredMessage[]>;
  /** Stores base64 image bytes durably under their hash, once per session; call before the commit that refers to them. Rejects when the session is neither there nor being created. */
  putImage(tenantId: string, sessionId: string, data: string): Promise<{ hash: string; bytes: number }>;
  /** Base64, or undefined when it is not there. */
  readImage(tenantId: string, sessionId: string, hash: string): Promise<string | undefined>;
  /** A small durable value of the service itself (the event sequence mark, the last cron minute). At most 64 KB. */
  readMeta(key: string): Promise<string | undefined>;
  writeMeta(key: string, value: string): Promise<void>;
  /** The keys that have a value. */
  metaKeys(): Promise<string[]>;
  /** The messages that hold every word, by an index. A driver without one leaves it out: then transcripts are read. */
  searchMessages?(search: MessageSearch): Promise<MessageHits>;
  /** Undefined while everything is stored. Asked on every creation and run: a comparison. */
  trouble?(): StoreTrouble | undefined;
  /** True while it is not known what became of changes that were under way. A driver that always knows leaves it out. */
  inDoubt?(): boolean;
  /** The process ends: what is in doubt is not waited for any longer than a second, and rejects as `StoreInDoubt`. */
  giveUp?(): void;
  /** A driver without a log of its own leaves it out. */
  figures?(): LogFigures;
  /** Resolves once everything that was deferred (snapshots, purges) is on disk. */
  flush(): Promise<void>;
  /** Flushes and releases the directory. Idempotent. */
  close(): Promise<void>;
}
