import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openEventStream } from '../helpers/event-stream.ts';
import { type RunningService, startService } from '../helpers/running-service.ts';
import { eventually } from '../helpers/within.ts';
import { mountSmallDisk } from './small-disk.ts';

interface Detail {
  status: string;
  messages: { role: string; content: string }[];
}

const post = (content: string): RequestInit => ({ method: 'POST', body: JSON.stringify({ content }) });

async function newSession(service: RunningService): Promise<string> {
  const { session } = (await (await service.fetch('/api/sessions', { method: 'POST' })).json()) as {
    session: { id: string };
  };
  return `/api/sessions/${session.id}`;
}

async function detail(service: RunningService, path: string): Promise<Detail> {
  return ((await (await service.fetch(path)).json()) as { session: Detail }).session;
}

/** Sends a message and waits for the end of its run. */
async function turn(service: RunningService, path: string, content: string): Promise<void> {
  const stream = await openEventStream(`${service.url}${path}/events`);
  assert.is((await service.fetch(`${path}/messages`, post(content))).status, 202);
  await stream.until('run.finished');
  await stream.close();
}

const full = suite(
  'A full disk: what was acknowledged stays, changes are refused, and work goes on once there is space',
);

full('ENOSPC on a real file system', async () => {
  const disk = mountSmallDisk();
  if (!disk) return;
  try {
    const storage = { directory: join(disk.directory, 'data'), minFreeBytes: 0 };
    const service = await startService({ settings: { storage, checkpoints: { enabled: false } } });
    const path = await newSession(service);
    await turn(service, path, 'before');
    const before = await detail(service, path);

    disk.fill();
    // What is preallocated or in the last page is used up first.
    const large = 'x'.repeat(100_000);
    await eventually(15_000, async () => (await service.fetch(`${path}/messages`, post(large))).status === 500);
    assert.is((await service.fetch('/api/health')).status, 200);
    const during = await detail(service, path);
    assert.is(during.status === 'running', false);
    assert.equal(during.messages.slice(0, before.messages.length), before.messages);

    disk.free();
    await turn(service, path, 'after');
    const after = await detail(service, path);
    assert.ok(after.messages.some(({ content }) => content === 'after'));
    await service.kill();
    const again = await service.restart({ settings: { storage } });
    assert.equal((await detail(again, path)).messages, after.messages);
    assert.is(await again.stop(), 0);
  } finally {
    disk.unmount();
  }
});

full('below storage.minFreeBytes: 429 storage_low, and deleting makes room', async () => {
  const disk = mountSmallDisk();
  if (!disk) return;
  try {
    const storage = { directory: join(disk.directory, 'data'), minFreeBytes: 2 ** 20 };
    const settings = { storage, checkpoints: { enabled: false } };
    const first = await startService({ settings });
    const path = await newSession(first);
    await turn(first, path, 'x'.repeat(100_000));
    assert.is(await first.stop(), 0);
    // 512 KB are left.
    disk.fill();
    spawnSync('truncate', ['-s', `-${2 ** 19}`, join(disk.directory, 'filler')]);
    const service = await first.restart({ settings });
    const refused = await service.fetch(`${path}/messages`, post('more'));
    assert.is(refused.status, 429);
    assert.is(((await refused.json()) as { error: { code: string } }).error.code, 'storage_low');
    assert.is((await detail(service, path)).messages[0]?.content.length, 100_000);
    assert.is((await service.fetch(path, { method: 'DELETE' })).status, 204);
    disk.free();
    await eventually(15_000, async () => (await service.fetch('/api/sessions', { method: 'POST' })).status === 201);
    assert.is(await service.stop(), 0);
  } finally {
    disk.unmount();
  }
});

full.run();

const readOnly = suite('A data directory that can not be written');

readOnly('at the start: exit 78 with one line', () => {
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

readOnly('later: changes are refused, reading goes on, and it passes without a restart', async () => {
  const disk = mountSmallDisk();
  if (!disk) return;
  try {
    const storage = { directory: join(disk.directory, 'data') };
    // The demo's own 64 MB are not there.
    const settings = { storage: { ...storage, minFreeBytes: 0 }, checkpoints: { enabled: false } };
    const service = await startService({ settings });
    const path = await newSession(service);
    await turn(service, path, 'before');
    const before = await detail(service, path);
    // Refused while the log is open for writing; then there is nothing to test on this kernel.
    if (disk.readOnly(true)) {
      assert.is((await service.fetch(`${path}/messages`, post('during'))).status, 500);
      assert.equal((await detail(service, path)).messages, before.messages);
      assert.ok(disk.readOnly(false));
    } else console.log('SKIPPED this kernel does not remount a file system with open files');
    await turn(service, path, 'after');
    assert.is(await service.stop(), 0);
  } finally {
    disk.unmount();
  }
});

readOnly.run();
