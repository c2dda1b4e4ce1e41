import type { Database, Statement } from './database.ts';

/**
 * The sessions of a new database are spread over this many partitions, so that erasing one rewrites a small part of the
 * whole. Each costs a first start nine files more to sync; fewer make deletions slow.
 */
const partitions = 16;

/** How many partitions a database has: it keeps those that it was made with. */
export async function countPartitions(database: Pick<Database, 'query'>): Promise<number> {
  const sql = "SELECT count(*) AS parts FROM pg_inherits WHERE inhparent = 'sessions'::regclass";
  const [row] = await database.query({ sql });
  return Number(row?.parts);
}

/**
 * The index that search needs of a part. Not one of the whole table: erasing drops it, since it holds words of what is
 * deleted and takes longest to write anew, and it comes back later. A database of before has one that can't be dropped alone.
 */
export function wordIndex(part: number): string {
  return `CREATE INDEX IF NOT EXISTS messages_words_${part} ON messages_${part} USING gin (words) WITH (gin_pending_list_limit = 256)`;
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
      ...partitionsOf('sessions', 'WITH (fillfactor = 70)'),
      `CREATE TABLE messages (
        session_id text NOT NULL,
        position bigint NOT NULL,
        body text NOT NULL,
        words tsvector,
        PRIMARY KEY (session_id, position)
      ) PARTITION BY HASH (session_id)`,
      'ALTER TABLE messages ALTER COLUMN body SET STATISTICS 0',
      'ALTER TABLE messages ALTER COLUMN words SET STATISTICS 0',
      ...partitionsOf('messages'),
      ...Array.from({ length: partitions }, (_, part) => wordIndex(part)),
      'CREATE TABLE service_values (key text PRIMARY KEY, value text NOT NULL)',
      'CREATE TABLE unerased (session_id text PRIMARY KEY, part integer NOT NULL)',
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
    };
    await database.transaction([...statements.map((sql) => ({ sql })), mark]);
  }
  return missing.map(({ name }) => name);
}

function partitionsOf(table: string, storage = ''): string[] {
  return Array.from(
    { length: partitions },
    (_, part) =>
      `CREATE TABLE ${table}_${part} PARTITION OF ${table} ` +
      `FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${part}) ${storage}`,
  );
}
