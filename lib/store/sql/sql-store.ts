import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { SessionCommit } from '../change.ts';
import type { DirectoryLock } from '../directory-lock.ts';
import type { DiskCare } from '../disk-care.ts';
import type { ImageFiles } from '../image-files.ts';
import { absent, storeClosed } from '../not-stored.ts';
import type { OpenedStore, SessionStore } from '../session-store.ts';
import { createCommitter } from './committer.ts';
import type { Database } from './database.ts';
import { failureCode } from './failure-code.ts';
import type { KnownSession } from './known-session.ts';
import { loadSessions } from './load-sessions.ts';
import { createMaintenance } from './maintenance.ts';
import { migrate } from './migrations.ts';
import { readTranscript } from './read-transcript.ts';
import { noRoom, type Room } from './room.ts';
import { searchMessages } from './search-messages.ts';

export interface SqlStoreOptions {
  database: Database;
  /** Image bytes stay outside the database: a deletion removes them at once, and they never pass through its log. */
  images: ImageFiles;
  lock: () => Promise<DirectoryLock>;
  /** Transactions are synced. */
  durable: boolean;
  room: Room;
  care: DiskCare;
  clock: Clock;
  log: Logger;
}

const largestValue = 64 * 1024;
const sweepAfterMs = 2_000;

/** Sessions in PostgreSQL, embedded or not: one row per session, one per message, each message sealed (`seal.ts`). */
export function createSqlStore(options: SqlStoreOptions): SessionStore {
  const { database, images, room, care, clock, log } = options;
  const known = new Map<string, KnownSession>();
  /** Sessions whose creation is on its way. */
  const arriving = new Set<string>();
  /** Sessions whose record can't be read: what is left of them stays until they are imported again. */
  const aside = new Set<string>();
  const maintenance = createMaintenance({
    database,
    room,
    clock,
    log,
    // On a full disk an erasure may wait until the session is there again.
    removeImages: async (sessionId) => (isThere(sessionId) ? undefined : images.remove(sessionId)),
    isReadOnly: () => care.trouble() === 'read-only',
  });
  const committer = createCommitter({ database, known, aside, room, care, onDurable, clock, log });
  let lock: DirectoryLock | undefined;
  let cancelSweep: (() => void) | undefined;
  let sweeping: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  return {
    open,
    async commit(commit) {
      usable();
      care.admit(commit.change);
      if (commit.change.kind === 'created') arriving.add(commit.sessionId);
      try {
        await committer.commit(commit);
      } finally {
        arriving.delete(commit.sessionId);
      }
    },
    async readMessages(tenantId, sessionId) {
      reachable();
      if (known.get(sessionId)?.record.tenantId !== tenantId) throw absent(sessionId);
      const messages = await readTranscript(database, sessionId);
      if (messages === undefined) throw absent(sessionId);
      return messages;
    },
    async putImage(_tenantId, sessionId, data) {
      usable();
      care.admitBytes();
      const image = await images.put(sessionId, data).catch((error: unknown) => {
        // Its directory goes with the session.
        throw isThere(sessionId) ? error : absent(sessionId);
      });
      // Looked at afterwards, so that an image that arrives behind the deletion does not stay.
      if (isThere(sessionId)) return image;
      await images.remove(sessionId);
      throw absent(sessionId);
    },
    async readImage(tenantId, sessionId, hash) {
      usable();
      return known.get(sessionId)?.record.tenantId === tenantId ? images.read(sessionId, hash) : undefined;
    },
    async readMeta(key) {
      reachable();
      const [row] = await database.query({ sql: 'SELECT value FROM service_values WHERE key = $1', values: [key] });
      return row === undefined ? undefined : String(row.value);
    },
    async writeMeta(key, value) {
      reachable();
      if (value.length > largestValue) throw new Error(`The value of ${key} is over 64 KB.`);
      await care.withReserve(async () => {
        if (!(await room.forBatch(true))) throw noRoom();
        await database.query({
          sql: `INSERT INTO service_values (key, value) VALUES ($1, $2)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
          values: [key, value],
        });
      });
    },
    async metaKeys() {
      reachable();
      const rows = await database.query({ sql: 'SELECT key FROM service_values ORDER BY key' });
      return rows.map(({ key }) => String(key));
    },
    async searchMessages(search) {
      reachable();
      return searchMessages(database, search, { older: maintenance.hasOlder() });
    },
    figures() {
      const counts = committer.counts();
      // A transaction is synced once; what the database writes behind it is its own.
      return { ...counts, syncs: options.durable ? counts.batches : 0 };
    },
    trouble: () => (care.trouble() !== 'read-only' && committer.inDoubt() ? 'unavailable' : care.trouble()),
    inDoubt: committer.inDoubt,
    giveUp: committer.giveUp,
    async flush() {
      usable();
      await committer.idle();
      await maintenance.flush();
    },
    close: () => (closing ??= close()),
  };

  async function open(): Promise<OpenedStore> {
    lock = await options.lock();
    try {
      await care.open();
      if (!(await room.forBatch(false))) await care.met(noRoom(), true);
      await database.open();
      await migrate(database);
      for (const id of await loadSessions(database, known)) aside.add(id);
      await maintenance.start();
      sweepLater();
      const findings = Array.from(aside, (id) => `The record of ${id} cannot be read and is left aside.`);
      const sessions = Array.from(known.values(), ({ record }) => record);
      return { sessions, findings, aside: [...aside], incomplete: false };
    } catch (error) {
      // Before the end of the database, which may give room back.
      const hasRoom = await room.forBatch(false).catch(() => true);
      await care.close();
      await database.close().then(lock.release, () => undefined);
      throw unusable(error, { hasRoom });
    }
  }

  function isThere(sessionId: string): boolean {
    return known.has(sessionId) || arriving.has(sessionId);
  }

  /** What a crash left of images: long after the start, which it must not slow down. */
  function sweepLater(): void {
    cancelSweep = clock.after(sweepAfterMs, () => {
      if (care.trouble() === 'read-only') return;
      const isLeft = (id: string): boolean => isThere(id) || aside.has(id);
      sweeping = images.sweep({ isThere: isLeft, goesOn: () => !closing }).then(
        (removed) => void (removed > 0 && log.info('Images that a crash had left were removed.', { removed })),
        (error: unknown) => log.warn('Images that a crash left could not be removed.', { code: failureCode(error) }),
      );
    });
  }

  function onDurable(commits: readonly SessionCommit[], bytes: number): void {
    maintenance.wrote(bytes);
    for (const { sessionId } of commits) aside.delete(sessionId);
    const gone = commits.filter(({ change }) => change.kind === 'deleted').map(({ sessionId }) => sessionId);
    if (gone.length > 0) maintenance.deleted(gone);
  }

  function usable(): void {
    if (!lock || closing) throw storeClosed();
  }

  /** The database is asked: not while it is lost and can't start, since nothing can be written. */
  function reachable(): void {
    usable();
    if (committer.inDoubt() && care.trouble() === 'read-only')
      throw new Error('The database cannot be read: the data directory is read-only.');
  }

  async function close(): Promise<void> {
    if (!lock) return;
    cancelSweep?.();
    await sweeping;
    committer.giveUp();
    await committer.idle();
    // Not while nothing can be written: PostgreSQL would not start, or break at the first try.
    const canTidy = !committer.inDoubt() && care.trouble() !== 'read-only';
    const tidy = canTidy ? maintenance.flush() : Promise.reject(new Error('Nothing can be written.'));
    await tidy.catch(() => log.warn(untidyText));
    maintenance.stop();
    await care.close();
    // Before it has ended it may write: then the directory is free with the end of this process, and not sooner.
    await database.close({ now: !canTidy });
    await lock.release();
  }
}

const untidyText = 'The database could not be tidied up before it closed; nothing that was acknowledged is affected.';

/** At the start every failure of the database is one that a person must look at. PostgreSQL does not say it when it lacks room. */
function unusable(error: unknown, { hasRoom }: { hasRoom: boolean }): unknown {
  if (!(error instanceof Error) || 'exitCode' in error) return error;
  const advice = hasRoom
    ? 'Restore a backup, or move it away and import an export.'
    : 'Its disk is full: make room and start again.';
  return Object.assign(new Error(`The database cannot be opened (${error.message}). ${advice}`), { exitCode: 78 });
}
