import { randomBytes, randomInt } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Database } from '../../lib/store/sql/database.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { filesWith } from '../store/file-rig.ts';
import { author } from '../store/sample.ts';
import { noResidents } from '../store/session-store-contract.ts';
import { indexesAgree } from './indexes-agree.ts';
import { embeddedDatabase, sqlStoreOn } from './sql-rig.ts';

const test = suite('what can be read of a deleted session leaves the files of the database at once');

const word = 'zebrafish';
/** Bounds what waits in memory. */
const atOnce = 100;
const vocabulary = Array.from({ length: 20_000 }, () => randomBytes(4).toString('hex').slice(randomInt(5)));

const setting = (name: string, usual: number): number => Number(process.env[`ERASURE_${name}`] ?? usual);

/** A database of another size and content, by environment variables ERASURE_<NAME>: the rows of the table in OPERATIONS.md. */
const sessions = setting('SESSIONS', 30);
const megabytes = setting('MB', 5);
const charactersOfMessage = setting('CHARACTERS', 64 * 1024);
/** How many in a hundred sessions are of words; the others are of text that cannot be compressed. */
const wordy = setting('WORDS', 33);
const deletions = setting('DELETED', 1);

test(`${deletions} of ${sessions} sessions, ${megabytes} MB in all`, async () => {
  const directory = tempDirectory();
  const database = embeddedDatabase(directory);
  const store = sqlStoreOn(database, directory);
  await store.open(noResidents);
  const [gone, kept, ...others] = Array.from({ length: sessions }, () => author());
  assert.ok(gone && kept);
  await Promise.all([gone, kept, ...others].map((each) => store.commit(each.create({ title: `${word} ${each.id}` }))));
  await store.commit(gone.append(`${word} ${prose(50_000)} ${noise(50_000)}`));
  await store.commit(kept.append('quagga'));
  for (let left = megabytes * 2 ** 20; left > 0; left -= others.length * charactersOfMessage)
    for (let at = 0; at < others.length; at += atOnce)
      await Promise.all(others.slice(at, at + atOnce).map((each, nth) => store.commit(each.append(textOf(at + nth)))));
  await store.flush();
  const [row] = await database.query({ sql: 'SELECT secret FROM sessions WHERE id = $1', values: [gone.id] });
  const secret = String(row?.secret);
  const readable = [secret, `${word} ${gone.id}`];
  for (const each of readable) assert.ok((await filesWith(directory, each)).length > 0);

  const [{ bytes } = {}] = await database.query({ sql: 'SELECT pg_database_size(current_database()) AS bytes' });

  const [before, worked] = [performance.now(), process.cpuUsage()];
  await Promise.all([gone, ...others.slice(0, deletions - 1)].map((each) => store.commit(each.remove())));
  const acknowledged = performance.now() - before;
  const isOver = async (): Promise<boolean> =>
    (await database.query({ sql: 'SELECT 1 FROM unerased LIMIT 1' })).length === 0;
  await within(60_000, until(isOver), 'the erasure');
  const took = performance.now() - before;
  const { user, system } = process.cpuUsage(worked);
  for (const each of readable) assert.equal(await filesWith(directory, each), []);
  console.log(
    `\nFIGURE a database of ${(Number(bytes) / 1024 / 1024).toFixed(0)} MB is without what was deleted after ${took.toFixed(0)} ms (204 after ${acknowledged.toFixed(0)} ms), ${((user + system) / 1000).toFixed(0)} ms of them at work`,
  );

  const found = await store.searchMessages?.({
    tenantId: 'default',
    words: ['quagga'],
    sessionIds: [kept.id],
    limit: 10,
    perSession: 1,
    signal: new AbortController().signal,
  });
  assert.is(found?.hits.length, 1, 'search does without the index of a part');
  await within(30_000, until(isIndexed(database), 200), 'the index');
  assert.ok(await indexesAgree(database));
  await store.close();
});

test('its words go too, and words of other sessions stay', async () => {
  const directory = tempDirectory();
  const database = embeddedDatabase(directory);
  const store = sqlStoreOn(database, directory);
  await store.open(noResidents);
  const [gone, rewound, kept] = [author(), author(), author()];
  for (const each of [gone, rewound]) await store.commit(each.create({ title: `${each.id}: ${word}` }));
  await store.commit(kept.create());
  await store.commit(gone.append(word, 'a second one'));
  await store.commit(rewound.append(`${word}s`));
  await store.commit(kept.append('quagga'));
  await database.query({ sql: 'ANALYZE' });
  await store.flush();
  assert.ok((await filesWith(directory, word)).length > 0);
  // The words of what was taken back are deleted rows already when the session goes.
  await store.commit(rewound.truncate(0));
  for (const each of [gone, rewound]) await store.commit(each.remove());
  await store.flush();
  assert.equal(await filesWith(directory, word), []);
  assert.ok((await filesWith(directory, 'quagga')).length > 0);
  await store.close();
});

test('after a crash the next start does it, and makes an index that the crash has left out', async () => {
  const directory = tempDirectory();
  const first = embeddedDatabase(directory);
  const store = sqlStoreOn(first, directory);
  await store.open(noResidents);
  const gone = author();
  await store.commit(gone.create());
  await store.commit(gone.append(word));
  const [row] = await first.query({ sql: 'SELECT secret FROM sessions WHERE id = $1', values: [gone.id] });
  // Of one part, be it that of the session or not.
  await first.query({ sql: 'DROP INDEX message_words_index_3' });
  await store.commit(gone.remove());
  await first.close({ now: true });
  await store.close();
  assert.ok((await filesWith(directory, word)).length > 0);
  const database = embeddedDatabase(directory);
  const next = sqlStoreOn(database, directory);
  await next.open(noResidents);
  const isOver = async (): Promise<boolean> => (await database.query({ sql: 'SELECT 1 FROM unerased' })).length === 0;
  await within(30_000, until(isOver), 'the erasure');
  for (const each of [word, String(row?.secret)]) assert.equal(await filesWith(directory, each), []);
  await within(30_000, until(isIndexed(database), 200), 'the indexes');
  await next.close();
});

test.run();

function isIndexed(database: Database): () => Promise<boolean> {
  const sql = "SELECT count(*) FROM pg_indexes WHERE tablename LIKE 'message\\_words\\_%' AND indexdef LIKE '%gin%'";
  return async () => Number((await database.query({ sql }))[0]?.count) === 64;
}

function textOf(session: number): string {
  return (session * wordy) % 100 < wordy ? prose(charactersOfMessage) : noise(charactersOfMessage);
}

function noise(characters: number): string {
  return randomBytes((characters * 3) / 4).toString('base64');
}

/** Of 20,000 words, some of them frequent. */
function prose(characters: number): string {
  let text = '';
  while (text.length < characters) text += `${vocabulary[Math.floor(Math.random() ** 2 * vocabulary.length)]} `;
  return text;
}

/** Asks every so many milliseconds: the database that is asked is the one that works. */
async function until(holds: () => Promise<boolean>, everyMs = 10): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, everyMs));
}
