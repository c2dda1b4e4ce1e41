import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { databaseLost } from '../../lib/store/sql/database.ts';
import { mountSmallDisk } from '../faults/small-disk.ts';
import { type RunningService, startService } from '../helpers/running-service.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually, within } from '../helpers/within.ts';
import { failingFiles } from '../store/faulty-files.ts';
import { author, texts } from '../store/sample.ts';
import { noResidents, rejects } from '../store/session-store-contract.ts';
import { loopDisk } from './scratch-disk.ts';
import { embeddedDatabase, sqlStoreOn } from './sql-rig.ts';

const test = suite('a database on a file system that can only be read');

test('at the start: exit 78 with one line that names the directory', () => {
  const disk = mountSmallDisk();
  if (!disk) return;
  try {
    assert.ok(disk.readOnly(true));
    const data = join(disk.directory, 'data');
    const env = { PATH: process.env.PATH ?? '', SERVICE_DATA_DIR: data, SERVICE_STORAGE_DRIVER: 'sqlite' };
    const options = { env, encoding: 'utf8', timeout: 20_000, cwd: disk.directory } as const;
    const main = resolve('dist/host/main.js');
    const { status, stderr } = spawnSync(process.execPath, [main, '--port', '0'], options);
    assert.is(status, 78, stderr);
    assert.match(stderr, /^[^\n]*can't be used: it lies on a read-only file system\.\n$/);
    assert.match(stderr, data);
  } finally {
    disk.unmount();
  }
});

test('later: what is new is refused with the reason, and what was in doubt is made once it can be written', async () => {
  const directory = tempDirectory();
  const database = embeddedDatabase(directory);
  let isReadOnly = false;
  let attempts = 0;
  const unless = <T>(work: () => Promise<T>): Promise<T> => {
    if (!isReadOnly) return work();
    attempts += 1;
    return Promise.reject(databaseLost('it does not start'));
  };
  const files = failingFiles('EROFS', ({ operation }) => isReadOnly && operation === 'open');
  const store = sqlStoreOn(
    {
      ...database,
      transaction: (statements) => unless(() => database.transaction(statements)),
      query: (statement) => unless(() => database.query(statement)),
    },
    directory,
    { files },
  );
  await store.open(noResidents);
  const [session, other] = [author(), author()];
  for (const each of [session, other]) await store.commit(each.create());
  isReadOnly = true;
  const inDoubt = store.commit(session.append('in doubt'));
  await eventually(5_000, () => store.trouble?.() === 'read-only', 'the reason');
  assert.is(store.inDoubt?.(), true);
  const refused = await within(1_000, rejects(store.commit(other.append('new'))));
  assert.match(refused.message, 'EROFS');
  other.undo();
  // Whoever was asking when it became known has asked.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const before = attempts;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await rejects(store.readMessages('default', other.id));
  await rejects(store.writeMeta('mark', '1'));
  assert.is(attempts, before, 'the database is not started while nothing can be written');
  isReadOnly = false;
  await within(10_000, inDoubt);
  await store.commit(other.append('new'));
  assert.is(store.trouble?.(), undefined);
  assert.equal(texts(await store.readMessages('default', session.id)), ['in doubt']);
  await store.close();
});

test('the whole service: it says why, stays up, stops cleanly, and has everything that was acknowledged', async () => {
  let disk: ReturnType<typeof loopDisk>;
  let service: RunningService | undefined;
  try {
    disk = loopDisk(256);
  } catch (error) {
    return console.log(
      `SKIPPED a file system that gives up: nothing may be mounted here (${String(error).split('\n')[0]})`,
    );
  }
  try {
    const storage = { directory: join(disk.directory, 'data'), driver: 'sqlite', minFreeBytes: 0 };
    const first = await startService({ settings: { storage, checkpoints: { enabled: false } }, readyMs: 60_000 });
    service = first;
    const { id } = (await first.client.createSession({ title: 'before' })).session;
    const other = (await first.client.createSession()).session.id;
    disk.giveUp();
    const rename = (session: string) =>
      first.fetch(`/api/sessions/${session}`, { method: 'PATCH', body: '{"title":"after"}' });
    const inDoubt = rename(id);
    const metrics = async (): Promise<string> => (await first.fetch('/api/metrics')).text();
    const isKnown = async (): Promise<boolean> => (await metrics()).includes('trouble{reason="read-only"} 1');
    await eventually(20_000, isKnown, 'the reason');
    const vetoed = await service.fetch(`/api/sessions/${id}/messages`, { method: 'POST', body: '{"content":"hi"}' });
    assert.is(vetoed.status, 429);
    assert.match(await vetoed.text(), 'storage_read_only');
    const refused = await within(5_000, rename(other));
    assert.is(refused.status, 500);
    assert.match(await refused.text(), 'the data directory is read-only');
    assert.is((await service.fetch('/api/health')).status, 200);
    assert.ok((service.output().match(/started anew/g) ?? []).length <= 2, service.output());
    const [code, told] = await Promise.all([service.stop(), within(20_000, inDoubt)]);
    assert.is(told.status, 500);
    assert.match(await told.text(), 'The store did not finish the change, so it is not known yet');
    assert.is(code, 0, service.output().split('\n').slice(-12).join('\n'));
    assert.match(service.output(), 'INFO  Stopped');
    disk.remount();
    service = await service.restart();
    // The change in doubt was never made.
    assert.is((await service.client.readSession(id)).session.title, 'before');
    assert.is(await service.stop(), 0);
  } finally {
    await service?.kill();
    disk.dispose();
  }
});

test.run();
