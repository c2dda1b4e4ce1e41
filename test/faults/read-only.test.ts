import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { type RunningService, startService } from '../helpers/running-service.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually } from '../helpers/within.ts';
import { loopDisk } from '../sql/scratch-disk.ts';
import { failingFiles } from '../store/faulty-files.ts';
import { fileStore } from '../store/file-rig.ts';
import { author, texts } from '../store/sample.ts';
import { noResidents, rejects } from '../store/session-store-contract.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

const readOnly = suite('A data directory that becomes read-only');

readOnly('is read on, refuses everything, and is written again by itself once it can be', async () => {
  let locked = false;
  const clock = createFakeClock();
  const files = failingFiles('EROFS', ({ operation }) => locked && operation !== 'datasync' && operation !== 'sync');
  const session = author();
  const store = fileStore(tempDirectory(), { files, clock });
  await store.open(noResidents);
  await store.commit(session.create());
  await store.commit(session.append('before'));
  locked = true;
  assert.match((await rejects(store.commit(session.append('refused')))).message, 'EROFS');
  session.undo();
  assert.is(store.trouble?.(), 'read-only');
  assert.match((await rejects(store.commit(session.remove()))).message, 'EROFS');
  session.undo();
  assert.equal(texts(await store.readMessages('default', session.id)), ['before']);
  clock.advance(2_000);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.is(store.trouble?.(), 'read-only');
  locked = false;
  clock.advance(2_000);
  await eventually(2_000, () => store.trouble?.() === undefined, 'recovery');
  await store.commit(session.append('after'));
  assert.equal(texts(await store.readMessages('default', session.id)), ['before', 'after']);
  await store.close();
});

readOnly('a real remount: reads go on, changes say why, and it works again without a restart', async () => {
  const disk = mountSmallDisk(16);
  if (!disk) return;
  try {
    const service = await startService({ settings: withDirectory(disk) });
    const { session: kept } = await service.client.createSession({ title: 'kept' });
    const { session: gone } = await service.client.createSession();
    // After a deletion no file of the log is open, so that the system allows the remount.
    await service.client.deleteSession(gone.id);
    await eventually(5_000, () => disk.readOnly(true), 'the remount');
    const path = `/api/sessions/${kept.id}`;
    const rename = () => service.fetch(path, { method: 'PATCH', body: '{"title":"renamed"}' });
    const refused = await rename();
    assert.is(refused.status, 500);
    assert.match(await refused.text(), 'the data directory is read-only');
    const vetoed = await service.fetch(`${path}/messages`, { method: 'POST', body: '{"content":"hi"}' });
    assert.is(vetoed.status, 429);
    assert.match(await vetoed.text(), 'storage_read_only');
    assert.is((await service.fetch('/api/health')).status, 200);
    assert.is(await titleOf(service, kept.id), 'kept');
    assert.ok(disk.readOnly(false));
    await eventually(10_000, async () => (await rename()).status === 200, 'recovery');
    await service.kill();
    const again = await service.restart();
    assert.is(await titleOf(again, kept.id), 'renamed');
    assert.is(await again.stop(), 0);
  } finally {
    disk.unmount();
  }
});

readOnly('a file system that gives up under an open log: nothing acknowledged is lost', async () => {
  const disk = ext4();
  if (!disk) return;
  try {
    const service = await startService({ settings: withDirectory(disk) });
    const { id } = (await service.client.createSession({ title: 'before' })).session;
    disk.giveUp();
    const rename = () => service.fetch(`/api/sessions/${id}`, { method: 'PATCH', body: '{"title":"after"}' });
    assert.is((await rename()).status, 500);
    assert.is((await rename()).status, 500);
    assert.is(await titleOf(service, id), 'before');
    await service.kill();
    disk.remount();
    const again = await service.restart();
    assert.is(await titleOf(again, id), 'before');
    assert.is(await again.stop(), 0);
  } finally {
    disk.dispose();
  }
});

readOnly.run();

const atStart = suite('A data directory that can not be written');

atStart('at the start: exit 78 with one line', () => {
  const disk = mountSmallDisk();
  if (!disk) return;
  try {
    assert.ok(disk.readOnly(true));
    const main = resolve('dist/host/main.js');
    const env = { PATH: process.env.PATH ?? '', SERVICE_DATA_DIR: join(disk.directory, 'data') };
    const options = { env, encoding: 'utf8', timeout: 20_000, cwd: disk.directory } as const;
    const { status, stderr } = spawnSync(process.execPath, [main, '--port', '0'], options);
    assert.is(status, 78, stderr);
    assert.is(stderr.trim().split('\n').length, 1, stderr);
    assert.match(stderr, disk.directory);
  } finally {
    disk.unmount();
  }
});

atStart.run();

function withDirectory({ directory }: Pick<SmallDisk, 'directory'>): object {
  return { storage: { directory: join(directory, 'data'), minFreeBytes: 0 }, checkpoints: { enabled: false } };
}

async function titleOf({ client }: RunningService, id: string): Promise<string> {
  return (await client.readSession(id)).session.title;
}

/** An ext4, or undefined with a printed reason where this user can't mount. */
function ext4() {
  try {
    return loopDisk(32);
  } catch (error) {
    console.log(
      `SKIPPED a file system that gives up: this machine does not let us mount (${String(error).split('\n')[0]})`,
    );
    return undefined;
  }
}
