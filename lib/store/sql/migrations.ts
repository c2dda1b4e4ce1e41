import type { Database, Statement } from './database.ts';

/**
 * The tables of a new database are spread over this many partitions, so that erasing a session rewrites a small part of
 * the whole: the one of `sessions` that held its record and secret, and the one of `message_words` that held its words.
 * Each costs a first start some files more to sync; fewer make deletions slow.
 */
const partitions = 16;
const wordPartitions = 64;
/** Files by the hundred, on a slow disk and a busy machine. */
const longMs = 600_000;

/** How many partitions a table has: it keeps those that it was made with. */
export async function countPartitions(
  database: Pick<Database, 'query'>,
  table: 'sessions' | 'messages' | 'message_words',
): Promise<number> {
  const sql = 'SELECT count(*) AS parts FROM pg_inherits WHERE inhparent = $1::text::regclass';
  const [row] = await database.query({ sql, values: [table] });
  return Number(row?.parts);
}

/**
 * The index that search needs of a part. Not one of the whole table: erasing drops it, since it holds words of what is
 * deleted and takes longest to write anew, and it comes back later.
 */
export function wordIndex(part: number): string {
  return `CREATE INDEX IF NOT EXISTS message_words_index_${part} ON message_words_${part} USING gin (words) WITH (gin_pending_list_limit = 256)`;
}

export interface Migration {
  version: number;
  name: string;
  /** Plain PostgreSQL 15. */
  statements: string[];
}

/**
 * Additive only (contract: Versioning 5): a new migration adds tables, columns with a default, or indexes. It never
 * renames, removes or narrows anything, and every statement of the store names its columns, so that an earlier patch
 * goes on working on what a later one wrote. Statistics of text are off: they would keep samples of deleted sessions.
 * The second is the first that a release has: no patch knows only the one before, which could not read what is sealed.
 */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'sessions, messages, values',
    statements: [
      `CREATE TABLE sessions (
        id text PRIMARY KEY,
        tenant_id text NOT NULL,
        revision bigint NOT NULL,
        first_position bigint NOT NULL DEFAULT 0,
        length bigint NOT NULL DEFAULT 0,
        record text NOT NULL
      ) PARTITION BY HASH (id)`,
      'ALTER TABLE sessions ALTER COLUMN record SET STATISTICS 0',
      ...partitionsOf('sessions', partitions, 'WITH (fillfactor = 70)'),
      `CREATE TABLE messages (
        session_id text NOT NULL,
        position bigint NOT NULL,
        body text NOT NULL,
        words tsvector,
        PRIMARY KEY (session_id, position)
      ) PARTITION BY HASH (session_id)`,
      'ALTER TABLE messages ALTER COLUMN body SET STATISTICS 0',
      'ALTER TABLE messages ALTER COLUMN words SET STATISTICS 0',
      ...partitionsOf('messages', partitions),
      'CREATE TABLE service_values (key text PRIMARY KEY, value text NOT NULL)',
      'CREATE TABLE unerased (session_id text PRIMARY KEY, part integer NOT NULL)',
    ],
  },
  {
    version: 2,
    name: 'sealed messages, words apart',
    statements: [
      'ALTER TABLE sessions ADD COLUMN secret text',
      'ALTER TABLE sessions ALTER COLUMN secret SET STATISTICS 0',
      'ALTER TABLE messages ADD COLUMN sealed bytea',
      'ALTER TABLE messages ALTER COLUMN sealed SET STATISTICS 0',
      // It can't be compressed, and costs a look-up for every 2,000 bytes where it does not lie in its row.
      'ALTER TABLE messages ALTER COLUMN sealed SET STORAGE EXTERNAL',
      ...Array.from(
        { length: partitions },
        (_, part) => `ALTER TABLE IF EXISTS messages_${part} SET (toast_tuple_target = 8160)`,
      ),
      `CREATE TABLE message_words (
        session_id text NOT NULL,
        position bigint NOT NULL,
        words tsvector NOT NULL,
        PRIMARY KEY (session_id, position)
      ) PARTITION BY HASH (session_id)`,
      ...partitionsOf('message_words', wordPartitions),
      'ALTER TABLE message_words ALTER COLUMN words SET STATISTICS 0',
      // Again, since partitions do not take it over when they are made.
      'ALTER TABLE sessions ALTER COLUMN record SET STATISTICS 0',
      'ALTER TABLE messages ALTER COLUMN body SET STATISTICS 0',
      'ALTER TABLE messages ALTER COLUMN words SET STATISTICS 0',
      ...Array.from({ length: wordPartitions }, (_, part) => wordIndex(part)),
      // Parts of `messages` whose files may hold messages in the clear. Those of before had an index of words, too.
      'CREATE TABLE unsealed (part integer PRIMARY KEY)',
      `INSERT INTO unsealed (part)
        SELECT substring(part.inhrelid::regclass::text from '[0-9]+$')::integer FROM pg_inherits AS part
        WHERE part.inhparent = 'messages'::regclass AND (pg_table_size(part.inhrelid) > 8192
          OR EXISTS (SELECT 1 FROM pg_indexes WHERE indexname LIKE 'messages\\_words%'))`,
    ],
  },
];

/** Brings the tables up to date. A database that a later version wrote is left as it is. Resolves to the names of what was applied. */
export async function migrate(database: Database, wanted: readonly Migration[] = migrations): Promise<string[]> {
  await database.query({
    sql: `CREATE TABLE IF NOT EXISTS schema_migrations (
      version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
  });
  const rows = await database.query({ sql: 'SELECT version FROM schema_migrations' });
  const applied = new Set(rows.map(({ version }) => Number(version)));
  const missing = wanted.filter(({ version }) => !applied.has(version));
  for (const { version, name, statements } of missing) {
    const mark: Statement = {
      sql: 'INSERT INTO schema_migrations (version, name) VALUES ($1, $2)',
      values: [version, name],
      limitMs: longMs,
    };
    await database.transaction([...statements.map((sql) => ({ sql })), mark]);
  }
  return missing.map(({ name }) => name);
}

function partitionsOf(table: string, count: number, storage = ''): string[] {
  return Array.from(
    { length: count },
    (_, part) =>
      `CREATE TABLE ${table}_${part} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${count}, REMAINDER ${part}) ${storage}`,
  );
}
