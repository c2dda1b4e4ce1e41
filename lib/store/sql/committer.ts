import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { endsSomething, type SessionCommit } from '../change.ts';
import type { DiskCare } from '../disk-care.ts';
import { isStoreInDoubt, notStored } from '../not-stored.ts';
import { isDiskFull } from '../reserve.ts';
import { type Batch, batchStatements } from './batch-statements.ts';
import { type Database, isDatabaseLost } from './database.ts';
import { failureCode, isRefusedStatement } from './failure-code.ts';
import { follow, type KnownSession, type Overlay, refusalOf } from './known-session.ts';
import { createLookUp } from './look-up.ts';
import { noRoom, type Room } from './room.ts';

export interface CommitterOptions {
  database: Database;
  /** Every session as of the last durable commit; the committer keeps it so. */
  known: Map<string, KnownSession>;
  /** Sessions that are in the tables and can't be read. */
  aside: ReadonlySet<string>;
  room: Pick<Room, 'forBatch'>;
  care: Pick<DiskCare, 'met' | 'suspect' | 'trouble'>;
  /** Called once a batch is durable, before its promises resolve. */
  onDurable: (commits: readonly SessionCommit[], bytes: number) => void;
  clock: Clock;
  log: Logger;
}

export interface Committer {
  /** Resolves once the commit is durable; rejects when it is not, and then nothing of it counts. */
  commit(commit: SessionCommit): Promise<void>;
  /** What was written since the process started. */
  counts(): { commits: number; batches: number; bytes: number; failures: number };
  /** The database is lost and a batch was under way: nobody knows yet what became of it. */
  inDoubt(): boolean;
  /** The process ends: what is in doubt rejects as `StoreInDoubt` within a second, what waits behind it as `NotStored`. */
  giveUp(): void;
  /** Resolves once no commit is on its way. */
  idle(): Promise<void>;
}

interface Waiting {
  commit: SessionCommit;
  bytes: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Bounds how long one transaction takes, and with it how long a small commit waits behind large ones. */
const largestBatch = { bytes: 4 * 1024 * 1024, commits: 500 };
/** How long commits wait behind one whose fate is unknown before they are refused. */
const patienceMs = 2_000;

/**
 * Group commit: what arrives while a transaction is under way shares the next one, in the order of the calls. A commit
 * that does not fit its session is refused alone. When the database is lost in the middle of a batch, the batch is
 * looked up once it is back (it is there as a whole or not at all) and written again if need be.
 */
export function createCommitter(options: CommitterOptions): Committer {
  const { database, known, aside, room, care, onDurable, clock, log } = options;
  const queue: Waiting[] = [];
  let working: Promise<void> | undefined;
  let lostSince: number | undefined;
  const counts = { commits: 0, batches: 0, bytes: 0, failures: 0 };
  let failing = false;
  /** What was under way when the process ended is not known: nothing is written any more. */
  let abandoned = false;
  const lookUp = createLookUp({ database, care, clock });

  return {
    commit(commit) {
      return new Promise((resolve, reject) => {
        if (abandoned || (lostSince !== undefined && clock.monotonic() - lostSince > patienceMs)) {
          reject(unavailable());
          return;
        }
        queue.push({ commit, bytes: sizeOf(commit), resolve, reject });
        wake();
      });
    },
    counts: () => counts,
    inDoubt: () => abandoned || lostSince !== undefined,
    giveUp: lookUp.giveUp,
    async idle() {
      while (working) await working;
    },
  };

  function wake(): void {
    working ??= work().finally(() => {
      working = undefined;
      if (queue.length > 0) wake();
    });
  }

  async function work(): Promise<void> {
    // What is called in the same turn goes together.
    await Promise.resolve();
    while (queue.length > 0) await store(admit(takeBatch()));
  }

  function takeBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const each of queue) {
      bytes += each.bytes;
      if (count === largestBatch.commits || (count > 0 && bytes > largestBatch.bytes)) break;
      count += 1;
    }
    return queue.splice(0, count);
  }

  function admit(batch: Waiting[]): Waiting[] {
    const ahead: Overlay = new Map();
    return batch.filter(({ commit, reject }) => {
      const before = ahead.has(commit.sessionId) ? ahead.get(commit.sessionId) : known.get(commit.sessionId);
      const refusal = refusalOf(commit, before);
      if (refusal === undefined) ahead.set(commit.sessionId, follow(commit, before));
      else reject(notStored('refused', refusal));
      return refusal === undefined;
    });
  }

  async function store(admitted: Waiting[]): Promise<void> {
    if (abandoned) {
      for (const { reject } of admitted) reject(unavailable());
      return;
    }
    if (admitted.length === 0) return;
    let waiting = admitted;
    try {
      waiting = await withRoom(admitted);
      if (waiting.length === 0) return;
      const commits = waiting.map(({ commit }) => commit);
      const batch = batchStatements(commits, known, aside);
      await write(batch);
      landed(waiting, batch);
    } catch (error) {
      // One that the database refuses must not take the others along.
      if (isStoreInDoubt(error)) abandon(waiting, error);
      else if (failureCode(error) === 'ENOSPC' && (await care.met(noRoom(), waiting.some(onlyEnds)))) {
        refuse(
          waiting.filter((each) => !onlyEnds(each)),
          error,
        );
        await store(admit(waiting.filter(onlyEnds)));
      } else if (waiting.length > 1 && isRefusedStatement(error))
        for (const each of waiting) await store(admit([each]));
      else refuse(waiting, error);
    }
  }

  /** Those that there is room for: on a full disk what ends something, out of the reserve when it comes to that. */
  async function withRoom(waiting: Waiting[]): Promise<Waiting[]> {
    if (await room.forBatch(false)) return waiting;
    const ends = waiting.filter(onlyEnds);
    const fit =
      ends.length > 0 &&
      ((await room.forBatch(true)) || ((await care.met(noRoom(), true)) && (await room.forBatch(true))));
    const written = fit ? ends : [];
    refuse(
      waiting.filter((each) => !written.includes(each)),
      noRoom(),
    );
    return admit(written);
  }

  /** Once more when the database was lost before it had the batch. */
  async function write(batch: Batch): Promise<void> {
    if (!(await writeOnce(batch)) && !(await writeOnce(batch)))
      throw Object.assign(new Error('The database was lost twice.'), { code: 'EIO' });
  }

  /** False when the database was lost and the batch is not in it. */
  async function writeOnce({ commits, statements }: Batch): Promise<boolean> {
    try {
      await database.transaction(statements);
      return true;
    } catch (error) {
      if (!isDatabaseLost(error)) throw error;
      lostSince = clock.monotonic();
      // PostgreSQL needs room to start again.
      if (isDiskFull(error)) await care.met(error, true);
      return await lookUp.isStored(commits);
    } finally {
      lostSince = undefined;
    }
  }

  function landed(waiting: readonly Waiting[], { commits, after }: Batch): void {
    if (failing) log.info('The store takes changes again.');
    failing = false;
    for (const [sessionId, session] of after) {
      if (session) known.set(sessionId, session);
      else known.delete(sessionId);
    }
    const size = waiting.reduce((sum, { bytes }) => sum + bytes, 0);
    counts.batches += 1;
    counts.commits += commits.length;
    counts.bytes += size;
    onDurable(commits, size);
    for (const { resolve } of waiting) resolve();
  }

  /** What stands behind the doubt was never sent. */
  function abandon(waiting: readonly Waiting[], error: unknown): void {
    abandoned = true;
    log.error('The database did not answer before the stop: the next start knows what became of the last changes.', {
      changes: waiting.length,
    });
    for (const { reject } of waiting) reject(error);
    for (const { reject } of queue.splice(0)) reject(unavailable());
  }

  function refuse(waiting: readonly Waiting[], error: unknown): void {
    if (waiting.length === 0) return;
    const code = failureCode(error);
    if (!failing) log.error('The store cannot write; changes are refused until it can.', { code });
    failing = true;
    counts.failures += 1;
    for (const { reject } of waiting) reject(notStored(code));
  }
}

function unavailable(): Error {
  return notStored('unavailable', 'the database is not available');
}

function onlyEnds({ commit }: Waiting): boolean {
  return endsSomething(commit.change);
}

/** A rough size in characters; what counts is the text of messages. */
function sizeOf({ change }: SessionCommit): number {
  if (change.kind !== 'appended') return 500;
  return change.messages.reduce(
    (sum, { content, reasoning }) => sum + content.length + (reasoning?.length ?? 0),
    1_000,
  );
}
