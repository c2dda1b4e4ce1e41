import { randomBytes, randomInt } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Database } from '../../lib/store/sql/database.ts';
import { smallPart } from '../../lib/store/sql/erasure.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { filesWith } from '../store/file-rig.ts';
import { author, newId } from '../store/sample.ts';
import { noResidents } from '../store/session-store-contract.ts';
import { indexesAgree } from './indexes-agree.ts';
import { embeddedDatabase, sqlStoreOn } from './sql-rig.ts';

const test = suite('a deletion leaves the files of the database at once while its part of the tables is small');

const word = 'zebrafish';
const vocabulary = Array.from({ length: 20_000 }, () => randomBytes(4).toString('hex').slice(randomInt(5)));

/** Of the part that holds the deleted session. ERASURE_MB asks for another size. */
for (const [kind, text, megabytes] of [
  ['text that can not be compressed', noise, 16],
  ['words', prose, 6],
] as const)
  test(`one session in a part of ${megabytes} MB of ${kind}`, async () => {
    const wanted = Number(process.env.ERASURE_MB ?? megabytes);
    const directory = tempDirectory();
    const database = embeddedDatabase(directory);
    const store = sqlStoreOn(database, directory);
    await store.open(noResidents);
    const [gone, kept] = await twoOfOnePart(database);
    for (const each of [gone, kept]) await store.commit(each.create());
    await store.commit(gone.append(`${word} ${text(100_000)}`));
    await store.commit(kept.append('quagga'));
    for (let written = 0; written < 4 * wanted; written++) await store.commit(kept.append(text(256 * 1024)));
    await store.flush();
    const [size] = await database.query({ sql: partOf, values: [gone.id] });
    const bytes = Number(size?.bytes);
    assert.ok(bytes < smallPart || wanted > 40, `the part has ${bytes} bytes`);
    assert.ok((await filesWith(directory, word)).length > 0);

    const [before, worked] = [performance.now(), process.cpuUsage()];
    await store.commit(gone.remove());
    const acknowledged = performance.now() - before;
    const isOver = async (): Promise<boolean> =>
      (await database.query({ sql: 'SELECT 1 FROM unerased LIMIT 1' })).length === 0;
    await within(60_000, until(isOver), 'the erasure');
    const took = performance.now() - before;
    const { user, system } = process.cpuUsage(worked);
    assert.equal(await filesWith(directory, word), []);
    const mb = bytes / 1024 / 1024;
    console.log(
      `\nFIGURE a part of ${mb.toFixed(0)} MB of ${kind} is without the deleted session after ${took.toFixed(0)} ms (204 after ${acknowledged.toFixed(0)} ms), ${((user + system) / 1000).toFixed(0)} ms of them at work`,
    );

    const found = await store.searchMessages?.({
      tenantId: 'default',
      words: ['quagga'],
      sessionIds: [kept.id],
      limit: 10,
      perSession: 1,
      signal: new AbortController().signal,
    });
    assert.is(found?.hits.length, 1, 'search does without the index of the part');
    const isWhole = async (): Promise<boolean> => Number((await database.query({ sql: indexes }))[0]?.count) === 16;
    await within(30_000, until(isWhole), 'the index');
    assert.ok(await indexesAgree(database));
    await store.close();
  });

test('an index that a stop has left out is made after the next start', async () => {
  const directory = tempDirectory();
  const first = embeddedDatabase(directory);
  await first.open();
  await first.query({ sql: 'DROP INDEX messages_words_3' });
  await first.close();
  const database = embeddedDatabase(directory);
  const store = sqlStoreOn(database, directory);
  await store.open(noResidents);
  const isWhole = async (): Promise<boolean> => Number((await database.query({ sql: indexes }))[0]?.count) === 16;
  await within(30_000, until(isWhole), 'the index');
  await store.close();
});

test.run();

const partOf = `
  SELECT pg_table_size(('messages_' || substring(tableoid::regclass::text from '[0-9]+$'))::regclass) AS bytes
  FROM sessions WHERE id = $1`;

const indexes = "SELECT count(*) FROM pg_indexes WHERE tablename LIKE 'messages\\_%' AND indexdef LIKE '%gin%'";

/** Two sessions that the tables keep in the same part. */
async function twoOfOnePart(database: Database) {
  const parts = new Map<string, string>();
  for (;;) {
    const id = newId('ses');
    const sql = `SELECT n FROM generate_series(0, 15) n WHERE satisfies_hash_partition('sessions'::regclass, 16, n, $1::text)`;
    const [row] = await database.query({ sql, values: [id] });
    const part = String(row?.n);
    const other = parts.get(part);
    if (other !== undefined) return [author('default', id), author('default', other)] as const;
    parts.set(part, id);
  }
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

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}
