import { cpSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionChange } from '../../lib/store/change.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { batchStatements } from '../../lib/store/sql/batch-statements.ts';
import type { Database } from '../../lib/store/sql/database.ts';
import { erase, findErasable } from '../../lib/store/sql/erasure.ts';
import type { KnownSession } from '../../lib/store/sql/known-session.ts';
import { loadSessions } from '../../lib/store/sql/load-sessions.ts';
import { migrate } from '../../lib/store/sql/migrations.ts';
import { createOlderMessages } from '../../lib/store/sql/older-messages.ts';
import { readTranscript } from '../../lib/store/sql/read-transcript.ts';
import { searchMessages } from '../../lib/store/sql/search-messages.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually, within } from '../helpers/within.ts';
import { filesWith, silent } from '../store/file-rig.ts';
import { sampleMessage, texts } from '../store/sample.ts';
import { noResidents } from '../store/session-store-contract.ts';
import { indexesAgree } from './indexes-agree.ts';
import { indexOfAll, makeOlder, type OlderSession } from './older-database.ts';
import { embeddedDatabase, sqlStoreOn } from './sql-rig.ts';

const test = suite('what the version before wrote in the clear is sealed while the service runs');

/** Not a word: the index of words never holds it. */
const said = 'a zebra, in the clear';
const count = 20;

const older = tempDirectory();
let sessionsMade: OlderSession[] = [];

/** Made once, since it takes longest; each test has a copy. */
test.before(async () => {
  const database = embeddedDatabase(older, { durable: false });
  await database.open();
  const sessions = Array.from({ length: count }, (_, number) => [`${said}: ${number}`, `message of ${number}`]);
  sessionsMade = await makeOlder(database, sessions);
  await database.close();
});

function olderDirectory() {
  const directory = tempDirectory();
  cpSync(older, directory, { recursive: true });
  return { directory, made: structuredClone(sessionsMade) };
}

test('transcripts and search are whole before, during and after it', async () => {
  const { directory, made } = olderDirectory();
  const database = embeddedDatabase(directory);
  const store = sqlStoreOn(database, directory);
  const { sessions, findings } = await store.open(noResidents);
  assert.equal([sessions.length, findings], [count, []]);
  assert.ok((await filesWith(directory, said)).length > 0);
  await isWhole(store, made);
  const [first] = made;
  assert.ok(first);
  await append(store, first, 2, `${said}, but later`);
  first.texts.push(`${said}, but later`);
  await eventually(
    60_000,
    async () => {
      await isWhole(store, made);
      // Between two looks the work is left to itself for a while.
      await new Promise((resolve) => setTimeout(resolve, 300));
      return (await database.query({ sql: 'SELECT part FROM unsealed' })).length === 0;
    },
    'the end of it',
  );
  await isWhole(store, made);
  assert.equal(await filesWith(directory, said), []);
  await isIndexedAnew(database);
  await store.close();
});

test('a session that is deleted before its turn leaves the files all the same', async () => {
  const { directory, made } = olderDirectory();
  const database = embeddedDatabase(directory);
  const known = new Map<string, KnownSession>();
  await migrate(database);
  await loadSessions(database, known);
  const [gone] = made;
  assert.ok(gone);
  const deletion = { tenantId: 'default', sessionId: gone.id, revision: 2, change: { kind: 'deleted' } } as const;
  await database.transaction(batchStatements([deletion], known).statements);
  const erasable = await findErasable(database);
  assert.equal(
    erasable.map(({ sessionId, unsealed }) => [sessionId, unsealed]),
    [[gone.id, true]],
  );
  await erase(database, erasable);
  for (const each of [`${said}: 0`, `title of ${gone.id}`]) assert.equal(await filesWith(directory, each), []);
  assert.ok((await filesWith(directory, `${said}: 1`)).length > 0, 'the others are not sealed yet');
  await isWhole(readingFrom(database), made.slice(1));
  await database.close();
  await isWholeInStore(directory, made.slice(1));
});

test('a stop at any moment loses nothing, and the next start goes on, also with the one index of an even older version', async () => {
  const { directory, made } = olderDirectory();
  let [ended, stops] = [false, 0];
  // The first life gives every session its secret and begins with a part; each gets further than the one before.
  for (let statements = 45; !ended; statements += 30) {
    const database = embeddedDatabase(directory);
    await database.open();
    if (stops === 0) await indexOfAll(database);
    ended = await within(60_000, sealUntil(database, statements), `${statements} statements`);
    await isWhole(readingFrom(database), made);
    if (ended) {
      assert.equal(await filesWith(directory, said), []);
      await isIndexedAnew(database);
    } else stops += 1;
    await database.close({ now: !ended });
  }
  assert.ok(stops >= 3, `stopped ${stops} times`);
  await isWholeInStore(directory, made);
  assert.equal(await filesWith(directory, said), []);
});

test.run();

/** What a start does, without the rest of the store. False when `statements` were used up before the end. */
async function sealUntil(database: Database, statements: number): Promise<boolean> {
  let left = statements;
  const spend = <T>(work: () => Promise<T>): Promise<T> => {
    left -= 1;
    return left < 0 ? Promise.reject(new Error('stopped')) : work();
  };
  const limited: Database = {
    ...database,
    query: (statement) => spend(() => database.query(statement)),
    transaction: (all) => spend(() => database.transaction(all)),
  };
  const clock = createFakeClock();
  let working: Promise<void> = Promise.resolve();
  const older = createOlderMessages({
    database: limited,
    room: { forCopy: async () => true },
    clock,
    log: silent,
    serialised: (work) => (working = work()),
    quiet: () => true,
    isReadOnly: () => false,
  });
  try {
    await migrate(limited);
    await loadSessions(limited, new Map());
    await older.start();
    while (older.areThere()) {
      clock.advance(2_000);
      await working;
    }
    return true;
  } catch {
    return false;
  } finally {
    older.stop();
  }
}

type Reader = Pick<SessionStore, 'readMessages' | 'searchMessages'>;

/** What a store reads of its database. */
function readingFrom(database: Database): Reader {
  return {
    readMessages: async (_tenantId, sessionId) => (await readTranscript(database, sessionId)) ?? [],
    searchMessages: (search) => searchMessages(database, search, { older: true }),
  };
}

/** What the next start of the service finds. */
async function isWholeInStore(directory: string, made: readonly OlderSession[]): Promise<void> {
  const store = sqlStoreOn(embeddedDatabase(directory), directory);
  await store.open(noResidents);
  await isWhole(store, made);
  await store.close();
}

/** The index of words of before is gone, and those that came with sealing say what the tables say. */
async function isIndexedAnew(database: Database): Promise<void> {
  const old = "SELECT indexname FROM pg_indexes WHERE tablename ~ '^messages' AND indexdef LIKE '%gin%'";
  assert.equal(await database.query({ sql: old }), []);
  assert.ok(await indexesAgree(database));
}

async function isWhole(store: Reader, made: readonly OlderSession[]): Promise<void> {
  for (const { id, texts: expected } of made) assert.equal(texts(await store.readMessages('default', id)), expected);
  const sessionIds = made.map(({ id }) => id);
  for (const word of ['zeb', 'message', '7']) {
    const found = await store.searchMessages?.({
      tenantId: 'default',
      words: [word],
      sessionIds,
      limit: 100,
      perSession: 5,
      signal: new AbortController().signal,
    });
    const expected = made.map(({ texts }) => texts.filter((text) => new RegExp(`\\b${word}`).test(text)).toReversed());
    assert.equal(
      found?.hits.map(({ messages }) => texts(messages)),
      expected.filter(({ length }) => length > 0),
      word,
    );
  }
}

function append(store: SessionStore, { id }: OlderSession, revision: number, text: string): Promise<void> {
  const change: SessionChange = { kind: 'appended', messages: [sampleMessage(text)], fields: {} };
  return store.commit({ tenantId: 'default', sessionId: id, revision, change });
}
