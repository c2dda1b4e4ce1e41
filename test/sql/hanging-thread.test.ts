import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../lib/base/clock.ts';
import { lockHolder } from '../../lib/store/directory-lock.ts';
import type { Database, Row } from '../../lib/store/sql/database.ts';
import { createPgliteDatabase } from '../../lib/store/sql/pglite-database.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually, within } from '../helpers/within.ts';
import { silent } from '../store/file-rig.ts';
import { author } from '../store/sample.ts';
import { noResidents, rejects } from '../store/session-store-contract.ts';
import { sqlStoreOn } from './sql-rig.ts';

const test = suite('a database whose thread hangs in the system');

const question = { sql: 'SELECT 1' };

test('answers every request in time, and opens anew only when the thread has ended', async () => {
  const { database, hang, release } = hangingDatabase(tempDirectory());
  assert.equal(await database.query(question), [{ by: 1 }]);
  hang();
  for (let round = 0; round < 3; round++)
    assert.is((await within(5_000, rejects(database.query(question)))).name, 'DatabaseLost');
  release();
  const [row] = await within(10_000, answerOf(database));
  assert.ok(Number(row?.by) > 1);
  await within(5_000, database.close());
});

test('leaves a change in doubt, refuses what reads and what comes behind, and keeps the directory when the store closes', async () => {
  const directory = tempDirectory();
  const { database, hang, release } = hangingDatabase(directory);
  const store = sqlStoreOn(database, directory);
  await store.open(noResidents);
  const session = author();
  await store.commit(session.create());
  hang();
  const change = rejects(store.commit(session.append('never known')));
  await eventually(5_000, () => store.inDoubt?.() === true);
  assert.is((await within(5_000, rejects(store.readMessages('default', session.id)))).name, 'DatabaseLost');
  store.giveUp?.();
  assert.is((await within(5_000, change)).name, 'StoreInDoubt');
  assert.is((await within(5_000, rejects(store.close()))).name, 'DatabaseLost');
  assert.match(String(await lockHolder(directory)), `process ${process.pid}`);
  release();
});

test.run();

/** Its thread answers with how many there have been. After `hang` it waits in the system, where nothing ends it, for `release`. */
function hangingDatabase(directory: string): { database: Database; hang(): void; release(): void } {
  const [pipe, sign, log] = ['pipe', 'sign', 'log'].map((name) => join(tempDirectory('hanging'), name));
  assert.ok(pipe && sign && log);
  spawnSync('mkfifo', [pipe]);
  const script = join(tempDirectory('hanging'), 'worker.mjs');
  writeFileSync(
    script,
    `import { appendFileSync, existsSync, openSync, statSync, unlinkSync } from 'node:fs';
    import { parentPort } from 'node:worker_threads';
    const [pipe, sign, log] = ${JSON.stringify([pipe, sign, log])};
    appendFileSync(log, '.');
    const by = statSync(log).size;
    parentPort.postMessage({ type: 'ready' });
    parentPort.on('message', ({ id, type, statements }) => {
      if (existsSync(sign)) {
        unlinkSync(sign);
        openSync(pipe, 'r');
      }
      const count = type === 'transaction' ? statements.length : 1;
      const rows = Array.from({ length: count }, () => [{ by }]);
      parentPort.postMessage({ type: 'done', id, rows });
      if (type === 'close') parentPort.close();
    });`,
  );
  const database = createPgliteDatabase({
    directory,
    seed: '',
    workerUrl: pathToFileURL(script),
    durable: true,
    clock: systemClock,
    log: silent,
    statementMs: 1_500,
    endMs: 200,
  });
  return {
    database,
    hang: () => writeFileSync(sign, ''),
    // Both ends at once, so that this does not wait either.
    release: () => closeSync(openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)),
  };
}

async function answerOf(database: Database): Promise<Row[]> {
  for (;;) {
    const rows = await database.query(question).catch(() => undefined);
    if (rows) return rows;
  }
}
