import type { Database } from './database.ts';
import { countPartitions, wordIndex } from './migrations.ts';

/** What must be written anew is written at once up to this size; more waits for a quiet moment. */
export const smallPart = 48 * 1024 * 1024;
const longMs = 600_000;

export interface Erasable {
  sessionId: string;
  /** Of `sessions`, which held the record and the secret, and of `messages`. */
  part: number;
  /** Of `message_words`. */
  wordPart: number;
  /** Messages of the part may be in the clear: a version before wrote them. */
  unsealed: boolean;
  /** Bytes that must be written anew. */
  size: number;
}

/** The deleted sessions whose bytes may still be in the files of the database. */
export async function findErasable(database: Database): Promise<Erasable[]> {
  const rows = await database.query({
    sql: `SELECT session_id, part, word_part, unsealed, pg_table_size(('sessions_' || part)::regclass)
        + pg_table_size(('message_words_' || word_part)::regclass)
        + CASE WHEN unsealed THEN pg_table_size(('messages_' || part)::regclass) ELSE 0 END AS size
      FROM (
        SELECT session_id, part, part IN (SELECT part FROM unsealed) AS unsealed, (
          SELECT number FROM generate_series(0, $1::integer - 1) AS number
          WHERE satisfies_hash_partition('message_words'::regclass, $1::integer, number, session_id)) AS word_part
        FROM unerased) AS deleted`,
    values: [await countPartitions(database, 'message_words')],
  });
  return rows.map(({ session_id, part, word_part, unsealed, size }) => ({
    sessionId: String(session_id),
    part: Number(part),
    wordPart: Number(word_part),
    unsealed: unsealed === true,
    size: Number(size),
  }));
}

/**
 * Removes what can be read of deleted sessions: a deleted row stays in its page, and in the log, until both are written
 * anew. The secret goes, and with it every message, wherever its bytes lie; record and words go as they are. Rewrites
 * the partitions that held them, one statement each so that commits get in between, and drops the old log. The index of
 * words is dropped and left to `restoreWordIndex`: it costs several times what the rest does.
 */
export async function erase(database: Database, erasable: readonly Erasable[]): Promise<void> {
  for (const part of new Set(erasable.map(({ part }) => part))) await writeAnew(database, `sessions_${part}`);
  for (const part of new Set(erasable.map(({ wordPart }) => wordPart))) {
    await database.query({ sql: `DROP INDEX IF EXISTS message_words_index_${part}` });
    await writeAnew(database, `message_words_${part}`);
  }
  const unsealed = erasable.filter(({ unsealed }) => unsealed);
  for (const part of new Set(unsealed.map(({ part }) => part))) await writeUnsealedAnew(database, part);
  await checkpoint(database);
  await database.query({
    sql: 'DELETE FROM unerased WHERE session_id = ANY($1::text[])',
    values: [erasable.map(({ sessionId }) => sessionId)],
  });
}

/** Without what a version before made of it: the index of words, and statistics with samples of texts and words. */
export async function writeUnsealedAnew(database: Database, part: number): Promise<void> {
  await database.query({ sql: `DROP INDEX IF EXISTS messages_words, messages_words_${part}` });
  await writeAnew(database, `messages_${part}`);
  await database.query({
    sql: `DELETE FROM pg_statistic WHERE starelid IN ('messages_${part}'::regclass, 'sessions_${part}'::regclass)`,
  });
  await writeAnew(database, 'pg_statistic');
}

/** Gives one part that has none its index of words again; meanwhile search reads that part. False when all have theirs. */
export async function restoreWordIndex(database: Database): Promise<boolean> {
  const [missing] = await database.query({
    sql: `SELECT substring(part.inhrelid::regclass::text from '[0-9]+$') AS part FROM pg_inherits AS part
      WHERE part.inhparent = 'message_words'::regclass AND NOT EXISTS (
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

async function writeAnew(database: Database, table: string): Promise<void> {
  await database.query({ sql: `VACUUM FULL ${table}`, limitMs: longMs });
}
