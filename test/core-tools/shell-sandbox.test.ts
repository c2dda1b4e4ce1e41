import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually, within } from '../helpers/within.ts';
import { running, sleep } from './running-processes.ts';
import { createToolBench } from './tool-bench.ts';

const test = suite('A sandboxed command sees the workspace and the system, and nothing of the service');

async function sandboxBench(extra: Parameters<typeof createToolBench>[1] = {}) {
  const bench = await createToolBench({ 'a.txt': 'x' }, { shellSandbox: 'required', ...extra });
  const data = join(bench.workspace.root, '.service');
  await mkdir(join(data, 'auth'), { recursive: true });
  await writeFile(join(data, 'auth/accounts.json'), 'TOP SECRET');
  await writeFile(join(bench.workspace.root, '../outside.txt'), 'TOP SECRET');
  const probe = await bench.call('shell', { command: 'true' });
  if (!probe.isError) return bench;
  console.log(`SKIPPED bubblewrap is not usable here: ${probe.content}`);
  return undefined;
}

test('files', async () => {
  const bench = await sandboxBench();
  if (!bench) return;
  const { content, data } = await bench.call('shell', {
    command:
      'cat a.txt; echo y > b.txt; cat .service/auth/accounts.json ../outside.txt; touch /usr/x /etc/x; ls /root /home',
  });
  assert.match(content, /^x/);
  assert.not.match(content, /TOP SECRET/);
  assert.is((await bench.workspace.read('b.txt')).content, 'y\n');
  assert.is((data as { sandboxed: boolean }).sandboxed, true);
  assert.is(readFileSync(join(bench.workspace.root, '.service/auth/accounts.json'), 'utf8'), 'TOP SECRET');
});

test('processes and environment', async () => {
  process.env.OPENAI_API_KEY = 'sk-secret';
  const bench = await sandboxBench();
  if (!bench) return;
  const { content } = await bench.call('shell', {
    command: 'cat /proc/*/environ | tr "\\0" "\\n"; ls -d /proc/[0-9]* | wc -l',
  });
  assert.not.match(content, /secret/);
  assert.ok(Number(content.split('\n').at(-1)) < 10, content);
});

test('the network, only where it is allowed', async () => {
  const bench = await sandboxBench({ shellNetwork: 'off' });
  if (!bench) return;
  const devices = "grep -c ':' /proc/net/dev";
  assert.is((await bench.call('shell', { command: devices })).content, '1');
  const shared = await sandboxBench({ shellNetwork: 'on' });
  assert.ok(Number((await shared?.call('shell', { command: devices }))?.content) >= 1);
});

test('cancel ends everything in it', async () => {
  const bench = await sandboxBench();
  if (!bench) return;
  const abort = new AbortController();
  const command = `setsid env -i bash -c "trap '' TERM; while :; do ${sleep(350)}; done" & (env -i setsid ${sleep(350)} &) ; ${sleep(350)}`;
  const result = bench.call('shell', { command }, { signal: abort.signal });
  await eventually(3_000, () => running(sleep(350)) >= 3);
  abort.abort();
  await within(6_000, result);
  assert.is(running(sleep(350)), 0);
});

test('is what tenants get, without the network', async () => {
  if (!(await sandboxBench())) return;
  const { call } = await createToolBench({}, {}, { authMode: 'accounts' });
  const { content, data } = await call('shell', { command: "grep -c ':' /proc/net/dev" });
  assert.is(content, '1');
  assert.is((data as { sandboxed: boolean }).sandboxed, true);
});

test('without bubblewrap nothing runs where it is required, and it says why', async () => {
  const path = process.env.PATH;
  process.env.PATH = '/nowhere';
  const { call } = await createToolBench({}, { shellSandbox: 'required' });
  const { call: lenient } = await createToolBench({}, { shellSandbox: 'auto' });
  process.env.PATH = path;
  const { content, isError } = await call('shell', { command: 'echo ran' });
  assert.is(isError, true);
  assert.match(content, /sandbox.*bubblewrap/);
  assert.is((await lenient('shell', { command: 'echo ran' })).content, 'ran');
});

test.run();
