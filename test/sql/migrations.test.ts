import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Database, Row, Statement } from '../../lib/store/sql/database.ts';
import { type Migration, migrate, migrations } from '../../lib/store/sql/migrations.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { author, texts } from '../store/sample.ts';
import { noResidents } from '../store/session-store-contract.ts';
import { embeddedDatabase, sqlStore } from './sql-rig.ts';

/** What a later patch could bring: everything that an additive migration may do. */
const later: Migration = {
  version: 999,
  name: 'a later patch',
  statements: [
    'ALTER TABLE sessions ADD COLUMN owner text',
    "ALTER TABLE messages ADD COLUMN tags text NOT NULL DEFAULT ''",
    'ALTER TABLE service_values ADD COLUMN written_at timestamptz NOT NULL DEFAULT now()',
    'CREATE TABLE reactions (session_id text, emoji text)',
    'CREATE INDEX sessions_owner ON sessions (owner)',
  ],
};

const test = suite('an earlier patch reads and writes what a later one left (contract: Versioning 5)');

test('added tables, columns and indexes change nothing for it', async () => {
  const directory = tempDirectory();
  const session = author();
  const store = sqlStore(directory);
  await store.open(noResidents);
  await store.commit(session.create());
  await store.commit(session.append('before'));
  await store.close();

  const database = embeddedDatabase(directory);
  assert.equal(await migrate(database, [...migrations, later]), [later.name]);
  await database.query({
    sql: `UPDATE sessions SET owner = 'ann', record = $1 WHERE id = $2`,
    values: [JSON.stringify({ ...(await recordOf(database, session.id)), mood: 'from the future' }), session.id],
  });
  await database.close();

  const earlier = sqlStore(directory);
  const { sessions, findings } = await earlier.open(noResidents);
  assert.equal(findings, []);
  assert.is(sessions.length, 1);
  await earlier.commit(session.update({ title: 'changed' }));
  await earlier.commit(session.append('after'));
  assert.equal(texts(await earlier.readMessages('default', session.id)), ['before', 'after']);
  await earlier.writeMeta('mark', '1');
  await earlier.close();

  const again = embeddedDatabase(directory);
  assert.equal(await migrate(again, [...migrations, later]), []);
  const [row] = await again.query({ sql: 'SELECT owner, record FROM sessions' });
  assert.is(row?.owner, 'ann');
  const kept = JSON.parse(String(row?.record));
  assert.equal([kept.title, kept.mood], ['changed', 'from the future']);
  await again.close();
});

test('each is applied once, as a whole or not at all', async () => {
  const log: Statement[][] = [];
  const applied: Row[] = [];
  const database: Database = {
    open: async () => undefined,
    close: async () => undefined,
    query: async ({ sql }) => (sql.startsWith('SELECT') ? applied : []),
    async transaction(statements) {
      log.push([...statements]);
      applied.push({ version: String(statements.at(-1)?.values?.[0]) });
      return [];
    },
  };
  await migrate(database);
  await migrate(database);
  assert.is(log.length, migrations.length);
  for (const [index, { statements }] of migrations.entries()) assert.is(log[index]?.length, statements.length + 1);
});

test('no migration takes anything away', () => {
  for (const { name, statements } of migrations)
    for (const sql of statements)
      assert.not.match(sql, /\b(DROP|RENAME|TRUNCATE|DELETE)\b|ALTER COLUMN \w+ TYPE/i, name);
});

async function recordOf(database: Database, id: string): Promise<object> {
  const [row] = await database.query({ sql: 'SELECT record FROM sessions WHERE id = $1', values: [id] });
  return JSON.parse(String(row?.record));
}

test('a database keeps the number of partitions that it was made with', async () => {
  const directory = tempDirectory();
  const database = embeddedDatabase(directory);
  // As a patch with eight of them made it.
  for (const table of ['sessions', 'messages', 'message_words', 'unsealed'])
    await database.query({ sql: `DROP TABLE ${table}` });
  const eight = migrations
    .flatMap(({ statements }) => statements)
    .filter(
      (sql) => /sessions|messages|message_words|unsealed/.test(sql) && !/_(?:[89]|[1-9]\d) (?:PARTITION|ON)/.test(sql),
    )
    .map((sql) => sql.replace(/MODULUS \d+/, 'MODULUS 8'));
  for (const sql of eight) await database.query({ sql });
  await database.close();
  const store = sqlStore(directory);
  await store.open(noResidents);
  const sessions = Array.from({ length: 40 }, () => author());
  for (const each of sessions) await store.commit(each.create());
  for (const each of sessions.slice(20)) await store.commit(each.remove());
  await store.close();
  const again = sqlStore(directory);
  assert.is((await again.open(noResidents)).sessions.length, 20);
  await again.close();
});

test.run();
