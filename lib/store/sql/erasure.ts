import type { Database } from './database.ts';
import { wordIndex } from './migrations.ts';

/** A partition up to this size, indexes aside, is rewritten at once; a larger one waits for a quiet moment. */
export const smallPart = 48 * 1024 * 1024;
const longMs = 600_000;

export interface Erasable {
  sessionId: string;
  part: number;
  /** Bytes of the part without its indexes. */
  size: number;
}

/** The deleted sessions whose bytes may still be in the files of the database. */
export async function findErasable(database: Database): Promise<Erasable[]> {
  const rows = await database.query({
    sql: `SELECT session_id, part, pg_table_size(('messages_' || part)::regclass) AS size FROM unerased`,
  });
  return rows.map(({ session_id, part, size }) => ({
    sessionId: String(session_id),
    part: Number(part),
    size: Number(size),
  }));
}

/**
 * Removes every byte of deleted sessions: a deleted row stays in its page, and in the log, until both are written anew.
 * Rewrites the partitions that held them, one statement each so that commits get in between, and drops the old log.
 * Their index of words is dropped and left to `restoreWordIndex`: of text it costs several times what the rest does.
 */
export async function erase(database: Database, erasable: readonly Erasable[]): Promise<void> {
  for (const part of new Set(erasable.map(({ part }) => part))) {
    await database.query({ sql: `DROP INDEX IF EXISTS messages_words_${part}` });
    await database.query({ sql: `VACUUM FULL messages_${part}`, limitMs: longMs });
    await database.query({ sql: `VACUUM FULL sessions_${part}`, limitMs: longMs });
  }
  await checkpoint(database);
  await database.query({
    sql: 'DELETE FROM unerased WHERE session_id = ANY($1::text[])',
    values: [erasable.map(({ sessionId }) => sessionId)],
  });
}

/** Gives one part that has none its index of words again; meanwhile search reads that part. False when all have theirs. */
export async function restoreWordIndex(database: Database): Promise<boolean> {
  const [missing] = await database.query({
    sql: `SELECT substring(part.inhrelid::regclass::text from '[0-9]+$') AS part FROM pg_inherits AS part
      WHERE part.inhparent = 'messages'::regclass AND NOT EXISTS (
        SELECT 1 FROM pg_index JOIN pg_class ON pg_class.oid = pg_index.indexrelid JOIN pg_am ON pg_am.oid = pg_class.relam
        WHERE pg_index.indrelid = part.inhrelid AND pg_am.amname = 'gin') LIMIT 1`,
  });
  if (missing === undefined) return false;
  await database.query({ sql: wordIndex(Number(missing.part)), limitMs: longMs });
  return true;
}

/** Writes everything to its place and begins a new log, so that no earlier one is needed any more. */
export async function checkpoint(database: Database): Promise<void> {
  await database.query({ sql: 'SELECT pg_switch_wal()' });
  await database.query({ sql: 'CHECKPOINT', limitMs: longMs });
}
