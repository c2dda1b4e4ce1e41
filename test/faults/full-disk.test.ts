import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openEventStream } from '../helpers/event-stream.ts';
import { type RunningService, startService } from '../helpers/running-service.ts';
import { type ScriptedModel, startScriptedModel } from '../helpers/scripted-model-server.ts';
import { eventually } from '../helpers/within.ts';
import { mountSmallDisk } from './small-disk.ts';

interface Detail {
  status: string;
  messages: { role: string; content: string }[];
}

const post = (content: string): RequestInit => ({ method: 'POST', body: JSON.stringify({ content }) });

function withModel({ url }: ScriptedModel, storage: object): object {
  const provider = { baseUrl: url, apiKey: 'key-12345', models: ['scripted'] };
  return { storage, checkpoints: { enabled: false }, plugins: { config: { 'chat-completions': provider } } };
}

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
  const model = await startScriptedModel({ answer: () => [{ text: 'done' }] });
  try {
    const storage = { directory: join(disk.directory, 'data'), minFreeBytes: 0 };
    const settings = withModel(model, storage);
    const service = await startService({ settings });
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
    const again = await service.restart({ settings });
    assert.equal((await detail(again, path)).messages, after.messages);
    assert.is(await again.stop(), 0);
  } finally {
    await model.close();
    disk.unmount();
  }
});

full('below storage.minFreeBytes: 429 storage_low, and deleting makes room', async () => {
  const disk = mountSmallDisk();
  if (!disk) return;
  const model = await startScriptedModel({ answer: () => [{ text: 'done' }] });
  try {
    const storage = { directory: join(disk.directory, 'data'), minFreeBytes: 2 ** 20 };
    const settings = withModel(model, storage);
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
    await model.close();
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

readOnly.run();
