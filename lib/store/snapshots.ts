import { dirname } from 'node:path';
import { systemCode } from '../base/caught.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { StoredMessage } from '../wire/message.ts';
import { applyToMessages, type SessionCommit } from './change.ts';
import type { FilePort } from './file-port.ts';
import { foldPending } from './fold-pending.ts';
import { documentChunks, readDocument } from './line-document.ts';
import { absent, isNotStored, unreadable } from './not-stored.ts';
import { createEnsureDirectory, replaceFile, syncWhole } from './replace-file.ts';
import { type SessionEntry, type SnapshotHead, snapshotTaken } from './session-entry.ts';
import type { ResidentSession } from './session-store.ts';
import { snapshotPath } from './store-paths.ts';

export interface SnapshotsOptions {
  files: FilePort;
  root: string;
  clock: Clock;
  log: Logger;
  resident: ResidentSession;
  /** The session's commits that are not durable yet, oldest first. */
  inFlight: (sessionId: string) => readonly SessionCommit[];
  /** Throws while nothing but the log may be written. */
  admit: () => void;
  /** Called whenever a snapshot has made log records superfluous. */
  onTaken: () => void;
}

export interface Snapshots {
  /** Sees to it that the snapshot follows soon. Cheap; call it for every durable commit. */
  touch(entry: SessionEntry): void;
  /** Lets go of a session that was deleted. */
  forget(entry: SessionEntry): void;
  /** The transcript as of the last durable commit. */
  read(entry: SessionEntry): Promise<StoredMessage[]>;
  /** Makes the snapshots that were only written survive a power cut, so that the log behind them can go. */
  settle(): Promise<void>;
  /** Resolves when every touched session has its snapshot, settled; rejects with the first failure. */
  flush(): Promise<void>;
  stop(): void;
}

const quietMs = 750;
const retryMs = 3_000;
const atOnce = 2;
/** When the two seconds are about to pass: more at once and without a pause. Until then requests come first. */
const atOnceWhenLate = 4;
const lateMs = 1_000;
const atOnceInFlush = 8;
/** What a new session takes is written in one blocking call. */
const blocking = 8 * 1024;

/**
 * Keeps `sessions/<id>.json` up to date, off the acknowledgement path: readable, whole, within two seconds of a change (after
 * a burst, once the disk has taken it). A snapshot holds durable commits only, also when the session in memory is ahead. The
 * first ones are written without a sync: the log still has everything, and new sessions don't keep the disk from the log.
 */
export function createSnapshots(options: SnapshotsOptions): Snapshots {
  const { files, root, clock, log } = options;
  /** Touched sessions and when their turn is, soonest first. */
  const due = new Map<SessionEntry, number>();
  const failed = new Set<SessionEntry>();
  const writing = new Set<SessionEntry>();
  /** Touched while their snapshot was being written. */
  const again = new Set<SessionEntry>();
  /** Written but not synced, with what they hold. */
  const unsynced = new Map<SessionEntry, { lsn: number; revision: number }>();
  const ensureOnce = createEnsureDirectory(files, root);
  let active = 0;
  let timer: (() => void) | undefined;
  let stopped = false;

  return { touch, forget, read, settle, flush, stop };

  function touch(entry: SessionEntry): void {
    if (due.has(entry)) return;
    if (entry.writing) {
      again.add(entry);
      return;
    }
    due.set(entry, clock.monotonic() + quietMs);
    arm();
  }

  function forget(entry: SessionEntry): void {
    for (const waiting of [due, failed, again, unsynced]) waiting.delete(entry);
  }

  function stop(): void {
    stopped = true;
    timer?.();
  }

  function arm(): void {
    const [first] = due.values();
    if (timer || stopped || first === undefined || active >= atOnce) return;
    timer = clock.after(Math.max(0, first - clock.monotonic()), () => {
      timer = undefined;
      startDue();
      arm();
    });
  }

  function startDue(): void {
    const now = clock.monotonic();
    for (const [entry, at] of due) {
      if (active >= (now - at > lateMs ? atOnceWhenLate : atOnce) || at > now) return;
      start(entry).catch(() => undefined);
    }
  }

  /** Takes one session's turn. A failure puts it back in the queue, to be tried again later. */
  async function start(entry: SessionEntry): Promise<void> {
    due.delete(entry);
    active += 1;
    const task = write(entry).finally(() => finished(entry));
    entry.writing = task.catch(() => undefined);
    writing.add(entry);
    await task.catch((error: unknown) => {
      retryLater(entry, error);
      throw error;
    });
  }

  function finished(entry: SessionEntry): void {
    active -= 1;
    entry.writing = undefined;
    writing.delete(entry);
    if (again.delete(entry)) touch(entry);
    const [oldest = Number.POSITIVE_INFINITY] = due.values();
    if (!stopped && clock.monotonic() - oldest > lateMs) startDue();
    arm();
  }

  function retryLater(entry: SessionEntry, error: unknown): void {
    const about = { session: entry.record.id, code: systemCode(error) };
    if (!isNotStored(error)) log.warn('A snapshot could not be written; the log still has the session.', about);
    if (failed.size === 0) clock.after(retryMs, retry);
    failed.add(entry);
  }

  function retry(): void {
    const entries = [...failed];
    failed.clear();
    entries.forEach(touch);
  }

  async function flush(): Promise<void> {
    const failures: unknown[] = [];
    retry();
    const tasks = [...new Set([...due.keys(), ...writing])];
    const work = async (): Promise<void> => {
      for (let entry = tasks.shift(); entry; entry = tasks.shift()) {
        while (entry.writing) await entry.writing;
        if (due.has(entry)) await start(entry).catch((error) => failures.push(error));
      }
    };
    await Promise.all(Array.from({ length: atOnceInFlush }, work));
    await settle();
    if (failures.length > 0) throw failures[0];
  }

  async function write(entry: SessionEntry): Promise<void> {
    if (entry.deleted || entry.pending.length === 0) return;
    options.admit();
    const { record, lsn } = entry;
    const messages = fromResident(entry) ?? (await read(entry));
    if (entry.deleted) return;
    const path = pathOf(entry);
    await ensureOnce(dirname(path));
    const head: SnapshotHead = { lsn, length: messages.length, session: record };
    // Over a snapshot that the log may rely on, only a synced one may be put.
    const sync = entry.snapshot.revision > 0;
    const chunks = documentChunks(head, 'messages', messages);
    const taken = await replaceFile(files, path, chunks, { keep: () => !entry.deleted, sync, blocking });
    if (!taken || entry.deleted) return;
    if (sync) snapshotTaken(entry, lsn, record.revision);
    else unsynced.set(entry, { lsn, revision: record.revision });
    options.onTaken();
  }

  async function settle(): Promise<void> {
    const left = [...unsynced];
    const synced: typeof left = [];
    const work = async (): Promise<void> => {
      for (let next = left.shift(); next; next = left.shift()) if (await syncFile(next[0])) synced.push(next);
    };
    await Promise.all(Array.from({ length: atOnceInFlush }, work));
    for (const path of new Set(synced.map(([entry]) => dirname(pathOf(entry))))) await files.syncDirectory(path);
    for (const [entry, held] of synced) {
      // Written anew meanwhile, or about to be: what was synced is not what will be there, and that is not synced.
      if (unsynced.get(entry) !== held || entry.writing) continue;
      unsynced.delete(entry);
      snapshotTaken(entry, held.lsn, held.revision);
    }
  }

  /** False when the session is gone, and with it the file. */
  async function syncFile(entry: SessionEntry): Promise<boolean> {
    await entry.writing;
    try {
      if (!entry.deleted) await syncWhole(files, pathOf(entry));
    } catch (error) {
      if (!entry.deleted) throw error;
    }
    return !entry.deleted;
  }

  function pathOf({ record }: SessionEntry): string {
    return snapshotPath(root, record.tenantId, record.id);
  }

  /** The durable transcript out of the session in memory, when it can be told apart from what is still in flight. */
  function fromResident(entry: SessionEntry): StoredMessage[] | undefined {
    const { record, length, pending } = entry;
    const state = options.resident(record.tenantId, record.id);
    if (!state) return undefined;
    const ahead = state.record.revision - record.revision;
    const messages = state.messages.slice();
    if (ahead <= 0) {
      for (const { commit } of pending)
        if (commit.revision > state.record.revision) applyToMessages(messages, commit.change);
    } else {
      const inFlight = options.inFlight(record.id);
      const onlyAppends = inFlight.every(({ change }) => change.kind === 'appended' || change.kind === 'updated');
      if (inFlight.length !== ahead || !onlyAppends) return undefined;
      messages.length = Math.min(messages.length, length);
    }
    return messages.length === length ? messages : undefined;
  }

  async function read(entry: SessionEntry): Promise<StoredMessage[]> {
    const { id } = entry.record;
    return readWhole(entry).catch((error: unknown) => {
      throw entry.deleted ? absent(id) : unreadable(id, error);
    });
  }

  async function readWhole(entry: SessionEntry): Promise<StoredMessage[]> {
    const { record, snapshot } = entry;
    const [pending, wanted] = [[...entry.pending], record.revision];
    if (snapshot.revision === 0) return foldPending([], { base: 0, pending, wanted });
    const document = await readDocument(files, pathOf(entry));
    if (!document) throw new Error('its file is missing');
    const base = (document.head as SnapshotHead).session.revision;
    return foldPending(document.items as StoredMessage[], { base, pending, wanted });
  }
}
