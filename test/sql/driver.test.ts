import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../lib/base/clock.ts';
import { packageRoot } from '../../lib/base/package-root.ts';
import { prepareCluster } from '../../lib/store/sql/cluster.ts';
import { isDatabaseLost } from '../../lib/store/sql/database.ts';
import { createPgliteDatabase } from '../../lib/store/sql/pglite-database.ts';
import { startParameters } from '../../lib/store/sql/server-settings.ts';
import { verifyDurability } from '../../lib/store/sql/verify-durability.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually, within } from '../helpers/within.ts';
import { filesWith, silent } from '../store/file-rig.ts';
import { author, texts } from '../store/sample.ts';
import { noResidents, rejects } from '../store/session-store-contract.ts';
import { embeddedDatabase, seed, sqlStore, sqlStoreOn } from './sql-rig.ts';

const start = suite('the embedded database starts only where it keeps its promises');

start('a library that does not sync is refused', async () => {
  const directory = join(tempDirectory(), 'postgres');
  prepareCluster(directory, seed);
  const database = await PGlite.create({ fs: new NodeFS(directory), startParams: startParameters(true) });
  const error = await rejects(verifyDurability(database, { syncs: 0 }));
  await database.close();
  assert.is('exitCode' in error && error.exitCode, 78);
  assert.match(error.message, /does not sync.*"durability": "process"/);
});

start('a database of another PostgreSQL is left alone, and the way out is named', async () => {
  const directory = tempDirectory();
  const version = join(directory, 'service.db/postgres/PG_VERSION');
  mkdirSync(join(directory, 'service.db/postgres'), { recursive: true });
  writeFileSync(version, '17\n');
  const error = await rejects(sqlStore(directory).open(noResidents));
  assert.is('exitCode' in error && error.exitCode, 78);
  assert.match(error.message, /PostgreSQL 17, this version needs 18.*export.*import/);
  assert.is(readFileSync(version, 'utf8'), '17\n');
});

start('a first start that was cut short begins anew, an empty pid file does not stop it', async () => {
  const directory = join(tempDirectory(), 'postgres');
  mkdirSync(`${directory}.new`);
  writeFileSync(`${directory}.new/PG_VERSION`, '18');
  prepareCluster(directory, seed);
  assert.not(existsSync(`${directory}.new`));
  writeFileSync(join(directory, 'postmaster.pid'), '');
  prepareCluster(directory, seed);
  assert.not(existsSync(join(directory, 'postmaster.pid')));
});

start('a file in its place is named, and keeps the data directory from nobody', async () => {
  const directory = tempDirectory();
  const inTheWay = join(directory, 'service.db');
  writeFileSync(inTheWay, 'a database of something else');
  const error = await rejects(sqlStore(directory).open(noResidents));
  assert.is('exitCode' in error && error.exitCode, 78);
  assert.match(error.message, `${inTheWay} cannot be made (EEXIST)`);
  assert.is(readFileSync(inTheWay, 'utf8'), 'a database of something else');
  rmSync(inTheWay);
  const store = sqlStore(directory);
  await store.open(noResidents);
  await store.close();
});

start('a second process is refused', async () => {
  const directory = tempDirectory();
  const store = sqlStore(directory);
  await store.open(noResidents);
  assert.match((await rejects(sqlStore(directory).open(noResidents))).message, /in use by process/);
  await store.close();
});

start.run();

const failures = suite('what happens to the database happens to nobody who was acknowledged');

failures('a statement that hangs is given up, and the database goes on', async () => {
  const directory = tempDirectory();
  const session = author();
  const database = embeddedDatabase(directory, { statementMs: 4_000 });
  const store = sqlStoreOn(database, directory);
  await store.open(noResidents);
  await store.commit(session.create());
  const hanging = database.query({ sql: 'SELECT count(*) FROM generate_series(1, 10000000000)', limitMs: 200 });
  const waiting = store.commit(session.append('behind it'));
  assert.ok(isDatabaseLost(await rejects(hanging)));
  await within(20_000, waiting);
  assert.equal(texts(await store.readMessages('default', session.id)), ['behind it']);
  await store.close();
});

failures('a thread that the system would not start is started when it is needed next', async () => {
  const directory = tempDirectory();
  const workerUrl = pathToFileURL(join(packageRoot(), 'dist/lib/store/sql/sql.worker.js'));
  const { href } = workerUrl;
  // What refuses at once, like a system without room for another thread.
  workerUrl.href = 'http://none.invalid/';
  const database = createPgliteDatabase({
    directory: join(directory, 'postgres'),
    seed,
    workerUrl,
    durable: false,
    clock: systemClock,
    log: silent,
  });
  await rejects(database.query({ sql: 'SELECT 1' }));
  workerUrl.href = href;
  assert.equal(await within(20_000, database.query({ sql: 'SELECT 1 AS one' })), [{ one: 1 }]);
  await database.close();
});

failures('a commit that does not fit is refused alone', async () => {
  const directory = tempDirectory();
  const store = sqlStore(directory);
  await store.open(noResidents);
  const [good, bad, impossible] = [author(), author(), author('default', 'ses_\0')];
  for (const each of [good, bad]) await store.commit(each.create());
  bad.append('lost on the way');
  const results = await Promise.allSettled([
    store.commit(good.append('1')),
    store.commit(bad.append('after a hole')),
    store.commit(impossible.create()),
    store.commit(good.append('2')),
  ]);
  assert.equal(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  );
  assert.equal(texts(await store.readMessages('default', good.id)), ['1', '2']);
  assert.equal(await store.readMessages('default', bad.id), []);
  await store.close();
});

failures.run();

const erasing = suite('a deleted session leaves no byte behind');

erasing('in tables, indexes, log and images, while others stay', async () => {
  const directory = tempDirectory();
  const store = sqlStore(directory);
  await store.open(noResidents);
  const [kept, gone] = [author(), author()];
  for (const each of [kept, gone]) await store.commit(each.create({ title: each === gone ? 'zebrafish' : 'x' }));
  await store.commit(kept.append('here to stay'));
  for (let round = 0; round < 20; round++) {
    await store.commit(gone.append(`zebrafish ${round} ${'lorem '.repeat(round * 40)}`));
    await store.commit(gone.update({ systemPrompt: `zebrafish ${round}` }));
  }
  await store.commit(gone.compact(5, 'zebrafish in short'));
  const { hash } = await store.putImage('default', gone.id, Buffer.from('zebrafish').toString('base64'));
  assert.ok((await filesWith(directory, 'zebrafish')).length > 1);
  const before = performance.now();
  await store.commit(gone.remove());
  await eventually(10_000, () => noneWith(directory), 'the erasure');
  console.log(`\nnothing was left ${Math.round(performance.now() - before)} ms after the deletion`);
  assert.equal(await filesWith(directory, hash), []);
  assert.equal(texts(await store.readMessages('default', kept.id)), ['here to stay']);
  await store.close();
});

erasing('also when the process ends before it was done', async () => {
  const directory = tempDirectory();
  const store = sqlStore(directory);
  await store.open(noResidents);
  const gone = author();
  await store.commit(gone.create());
  await store.commit(gone.append('zebrafish'));
  await store.flush();
  await store.close();
  const database = embeddedDatabase(directory);
  // The deletion alone, as a kill right behind it leaves it.
  await database.transaction([
    {
      sql: `INSERT INTO unerased (session_id, part) SELECT id, substring(tableoid::regclass::text from '[0-9]+$')::integer FROM sessions`,
    },
    ...['message_words', 'messages', 'sessions'].map((table) => ({ sql: `DELETE FROM ${table}` })),
  ]);
  await database.close();
  assert.ok((await filesWith(directory, 'zebrafish')).length > 0);
  const again = sqlStore(directory);
  await again.open(noResidents);
  await eventually(10_000, () => noneWith(directory), 'the erasure');
  await again.close();
});

erasing.run();

/** Files vanish while they are looked at: then it is looked again. */
function noneWith(directory: string): Promise<boolean> {
  return filesWith(directory, 'zebrafish').then(
    (files) => files.length === 0,
    () => false,
  );
}
