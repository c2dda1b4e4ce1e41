import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

for (const driver of ['file', 'sqlite'] as const)
  full(`with not a byte left: the end of a run and deletions are stored out of the reserve (${driver})`, async () => {
    const disk = mountSmallDisk(driver === 'file' ? 24 : 224);
    if (!disk) return;
    const model = await startScriptedModel({
      answer: ({ body }) =>
        JSON.stringify(body).includes('slow') ? [{ hold: 'end' }, { text: 'the end' }] : [{ text: 'done' }],
    });
    try {
      const data = join(disk.directory, 'data');
      const reserveBytes = (driver === 'file' ? 2 : 32) * 2 ** 20;
      const settings = withModel(model, { directory: data, driver, minFreeBytes: 0, reserveBytes });
      // As a start before this one left it.
      mkdirSync(data);
      writeFileSync(join(data, 'reserve.bin'), Buffer.alloc(reserveBytes));
      const service = await startService({ settings });
      const [kept, gone, running] = [await newSession(service), await newSession(service), await newSession(service)];
      await turn(service, kept, 'before');
      await turn(service, gone, `secret ${'x'.repeat(50_000)}`);
      const stream = await openEventStream(`${service.url}${running}/events`);
      assert.is((await service.fetch(`${running}/messages`, post('slow'))).status, 202);

      disk.fill();
      const refused = await service.fetch(kept, { method: 'PATCH', body: JSON.stringify({ title: 'x'.repeat(200) }) });
      if (refused.status !== 200) assert.match(await refused.text(), 'the disk of the data directory is full');
      model.release('end');
      await stream.until('run.finished');
      await stream.close();
      assert.is((await service.fetch(gone, { method: 'DELETE' })).status, 204);
      await eventually(5_000, () => spawnSync('grep', ['-rqa', 'secret xxx', data]).status === 1, 'no byte of it');
      assert.is((await detail(service, kept)).messages.length, 2);
      assert.is((await detail(service, running)).messages.at(-1)?.content, 'the end');

      await service.kill();
      const again = await service.restart({ settings });
      assert.is((await detail(again, running)).status, 'idle');
      assert.is((await detail(again, running)).messages.at(-1)?.content, 'the end');
      assert.is((await again.fetch(gone)).status, 404);
      const vetoed = await again.fetch(`${kept}/messages`, post('more'));
      assert.is(vetoed.status, 429);
      assert.match(await vetoed.text(), 'storage_low');
      assert.is((await again.fetch(running, { method: 'DELETE' })).status, 204);
      disk.free();
      await eventually(15_000, async () => (await again.fetch(`${kept}/messages`, post('after'))).status === 202);
      assert.is(await again.stop(), 0);
    } finally {
      await model.close();
      disk.unmount();
    }
  });

full.run();
