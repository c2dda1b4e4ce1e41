import { messageOf } from '../../base/caught.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { createSlots } from '../../base/slots.ts';
import type { Database } from './database.ts';
import { checkpoint, type Erasable, erase, findErasable, restoreWordIndex, smallPart } from './erasure.ts';
import { countPartitions } from './migrations.ts';
import { createOlderMessages } from './older-messages.ts';
import type { Room } from './room.ts';

export interface MaintenanceOptions {
  database: Database;
  room: Pick<Room, 'forCopy'>;
  clock: Clock;
  log: Logger;
  removeImages: (sessionId: string) => Promise<void>;
  /** True while nothing can be written: then it waits. */
  isReadOnly: () => boolean;
}

export interface Maintenance {
  /** Goes on with what an earlier process left. */
  start(): Promise<void>;
  /** Whether there may be messages that a version before wrote in the clear. */
  hasOlder(): boolean;
  /** Notes what a batch wrote. Cheap. */
  wrote(bytes: number): void;
  /** Sees to it that deleted sessions leave the disk soon. */
  deleted(sessionIds: readonly string[]): void;
  /** Erases what is deleted and writes everything to its place. */
  flush(): Promise<void>;
  stop(): void;
}

const eraseAfterMs = 50;
const lookEveryMs = 2_000;
const quietMs = 1_000;
const retryMs = 3_000;
const latestRetryMs = 60_000;
const indexAfterMs = 1_500;
/** Erasing from a large database, and its index of words, wait for a quiet second, this long at most. */
const latestMs = 600_000;
const checkpointBytes = 8 * 1024 * 1024;
const vacuumBytes = 64 * 1024 * 1024;

/** What PostgreSQL's background processes would do; embedded, it has none. */
export function createMaintenance(options: MaintenanceOptions): Maintenance {
  const { database, room, clock, log, removeImages, isReadOnly } = options;
  const gone = new Set<string>();
  const serialised = createSlots(1);
  let eraseTimer: (() => void) | undefined;
  let eraseAt = 0;
  let lookTimer: (() => void) | undefined;
  let indexTimer: (() => void) | undefined;
  /** Since when an index may be missing; an earlier process may have left it so. */
  let missingSince: number | undefined;
  let wroteAt = Number.NEGATIVE_INFINITY;
  /** Since when something deleted waits for a quiet moment. */
  let waitingSince: number | undefined;
  let sinceCheckpoint = 0;
  let sinceVacuum = 0;
  let stopped = false;
  const older = createOlderMessages({ database, room, clock, log, serialised, quiet, isReadOnly });

  return {
    async start() {
      await older.start();
      scheduleErase(eraseAfterMs);
    },
    hasOlder: older.areThere,
    wrote(bytes) {
      wroteAt = clock.monotonic();
      sinceCheckpoint += bytes;
      sinceVacuum += bytes;
      look();
    },
    deleted(sessionIds) {
      for (const id of sessionIds) gone.add(id);
      scheduleErase(eraseAfterMs);
    },
    flush: () => serialised(() => eraseAll(true).then(checkpointNow)),
    stop() {
      stopped = true;
      older.stop();
      eraseTimer?.();
      lookTimer?.();
      indexTimer?.();
    },
  };

  function quiet(): boolean {
    return clock.monotonic() - wroteAt > quietMs;
  }

  /** At the end the database is closed under what still waits; the next start goes on with it. */
  function report(error: unknown): void {
    if (!stopped)
      log.warn('The upkeep of the database did not succeed and will be tried again.', { reason: messageOf(error) });
  }

  /** The earlier of two holds: neither a retry nor a stream of deletions puts one off. */
  function scheduleErase(ms: number): void {
    const at = clock.monotonic() + ms;
    if (stopped || (eraseTimer && at >= eraseAt)) return;
    eraseTimer?.();
    eraseAt = at;
    eraseTimer = clock.after(ms, () => {
      eraseTimer = undefined;
      if (isReadOnly()) return scheduleErase(retryMs);
      serialised(() => eraseAll(false)).catch((error) => {
        report(error);
        scheduleErase(retryMs);
      });
    });
  }

  async function eraseAll(now: boolean): Promise<void> {
    const failures = new Map<string, unknown>();
    // One whose images are held keeps nothing of the others.
    const remove = (id: string): Promise<unknown> =>
      removeImages(id).then(
        () => gone.delete(id),
        (error) => failures.set(id, error),
      );
    for (const id of [...gone]) await remove(id);
    const all = await findErasable(database);
    for (const { sessionId } of all) if (!failures.has(sessionId)) await remove(sessionId);
    const since = waitingSince ?? clock.monotonic();
    const patient = !now && !quiet() && clock.monotonic() - since < latestMs;
    const free = all.filter(({ sessionId }) => !failures.has(sessionId));
    const wanted = patient ? free.filter(({ size }) => size <= smallPart) : free;
    // A part is written anew beside the old one: on a full disk it waits for room.
    const due: Erasable[] = [];
    for (const each of wanted) if (await room.forCopy(each.size)) due.push(each);
    if (due.length > 0) {
      await erase(database, due);
      sinceCheckpoint = 0;
    }
    restoreIndexes();
    waitingSince = due.length < all.length ? since : undefined;
    if (waitingSince !== undefined) scheduleErase(retryMs);
    const [failure] = failures.values();
    if (failures.size > 0) throw failure;
  }

  /** One part at a time, in quiet moments: while an index is made commits wait. */
  function restoreIndexes(ms = indexAfterMs): void {
    if (stopped) return;
    missingSince ??= clock.monotonic();
    indexTimer ??= clock.after(ms, () => {
      indexTimer = undefined;
      const patient = !quiet() && clock.monotonic() - (missingSince ?? 0) < latestMs;
      if (patient || isReadOnly()) return restoreIndexes();
      serialised(restoreIndex).catch((error) => {
        report(error);
        restoreIndexes(latestRetryMs);
      });
    });
  }

  async function restoreIndex(): Promise<void> {
    if (stopped) return;
    if (!(await room.forCopy(smallPart))) restoreIndexes(latestRetryMs);
    else if (await restoreWordIndex(database)) restoreIndexes(0);
    else missingSince = undefined;
  }

  function look(): void {
    if (stopped) return;
    lookTimer ??= clock.after(lookEveryMs, () => {
      lookTimer = undefined;
      if (isReadOnly()) look();
      else if (sinceCheckpoint >= checkpointBytes || quiet())
        serialised(checkpointNow)
          .then(() => (sinceVacuum >= vacuumBytes && quiet() ? vacuum() : undefined))
          .catch(report);
      else look();
    });
  }

  async function checkpointNow(): Promise<void> {
    if (sinceCheckpoint === 0) return;
    const bytes = sinceCheckpoint;
    await checkpoint(database);
    sinceCheckpoint -= bytes;
  }

  /** One part at a time, which takes seconds for all of them: what is to be erased gets in between. */
  async function vacuum(): Promise<void> {
    sinceVacuum = 0;
    for (const table of ['messages', 'sessions', 'message_words'] as const) {
      const partitions = await countPartitions(database, table);
      for (let part = 0; part < partitions && !stopped; part++)
        await serialised(() => database.query({ sql: `VACUUM (ANALYZE) ${table}_${part}`, limitMs: 120_000 }));
    }
  }
}
