import type { Clock } from '../../base/clock.ts';
import type { SessionCommit } from '../change.ts';
import type { DiskCare } from '../disk-care.ts';
import { storeInDoubt } from '../not-stored.ts';
import type { Database, Row } from './database.ts';

export interface LookUp {
  /** Whether a batch whose answer was lost is in the database. Rejects with `StoreInDoubt` when that can't be found out any more. */
  isStored(commits: readonly SessionCommit[]): Promise<boolean>;
  /** The process ends: what is not known yet is asked once more, for a second at most. */
  giveUp(): void;
}

export interface LookUpOptions {
  database: Pick<Database, 'query'>;
  care: Pick<DiskCare, 'suspect' | 'trouble'>;
  clock: Clock;
}

const retryMs = 250;
const latestRetryMs = 4_000;
const lastLookMs = 1_000;

/** Asks until the database answers: nobody may be told before it is known. A batch is there as a whole or not at all. */
export function createLookUp({ database, care, clock }: LookUpOptions): LookUp {
  const ending = new AbortController();

  return { isStored, giveUp: () => ending.abort() };

  async function isStored(commits: readonly SessionCommit[]): Promise<boolean> {
    const witness = witnessOf(commits);
    if (!witness) return true;
    const { sessionId, revision, change } = witness;
    const gone = change.kind === 'deleted';
    for (let waitMs = retryMs; ; waitMs = Math.min(2 * waitMs, latestRetryMs)) {
      const isLast = ending.signal.aborted;
      const row = await ask(sessionId);
      if (row !== 'no answer') return gone ? row === undefined : Number(row?.revision ?? 0) >= revision;
      if (isLast) throw storeInDoubt('the store stopped before its database answered');
      await care.suspect();
      await pause(waitMs);
      // Where nothing can be written PostgreSQL can't start.
      while (care.trouble() === 'read-only') {
        if (ending.signal.aborted) throw storeInDoubt('the store stopped before its database answered');
        await pause(retryMs);
      }
    }
  }

  async function ask(sessionId: string): Promise<Row | undefined | 'no answer'> {
    const over = new AbortController();
    const sql = 'SELECT revision FROM sessions WHERE id = $1';
    const answer = database.query({ sql, values: [sessionId] }).then(
      ([row]) => row,
      () => 'no answer' as const,
    );
    try {
      return await Promise.race([answer, tooLate(over.signal)]);
    } finally {
      over.abort();
    }
  }

  /** Resolves a second after the process began to end. */
  function tooLate(over: AbortSignal): Promise<'no answer'> {
    return new Promise((resolve) => {
      const begin = (): void => {
        const cancel = clock.after(lastLookMs, () => resolve('no answer'));
        over.addEventListener('abort', cancel, { once: true });
      };
      if (ending.signal.aborted) begin();
      else ending.signal.addEventListener('abort', begin, { once: true, signal: over });
    });
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (ending.signal.aborted) return resolve();
      const go = (): void => {
        cancel();
        ending.signal.removeEventListener('abort', go);
        resolve();
      };
      const cancel = clock.after(ms, go);
      ending.signal.addEventListener('abort', go, { once: true });
    });
  }
}

/** A commit that the database shows, or misses, for all of its batch: of a session that is there after it, or was before. */
function witnessOf(commits: readonly SessionCommit[]): SessionCommit | undefined {
  const removed = new Set<string>();
  const created = new Set<string>();
  for (const { sessionId, change } of commits) {
    if (change.kind === 'deleted') removed.add(sessionId);
    if (change.kind === 'created') created.add(sessionId);
  }
  return (
    commits.findLast(({ sessionId }) => !removed.has(sessionId)) ??
    commits.find(({ sessionId, change }) => change.kind === 'deleted' && !created.has(sessionId))
  );
}
