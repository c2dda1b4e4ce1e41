import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isApiError } from '../../lib/client/index.ts';
import { freePort } from '../helpers/free-port.ts';
import { startService } from '../helpers/running-service.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually, within } from '../helpers/within.ts';

const test = suite('A data directory of the whole service');

const main = resolve('dist/host/main.js');
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'no error',
    (error: unknown) => (isApiError(error) ? error.code : String(error)),
  );

test('storage.directory is where everything goes, SERVICE_DATA_DIR wins over the file', async () => {
  const elsewhere = join(tempDirectory('elsewhere'), 'deep/data');
  const service = await startService({ env: { SERVICE_DATA_DIR: elsewhere } });
  const { session } = await service.client.createSession();
  await eventually(5_000, () => existsSync(join(elsewhere, 'sessions', `${session.id}.json`)));
  assert.not.ok(existsSync(join(service.directory, 'data')));
  await service.stop();
});

test('a second server on the same directory ends with 78, names the first and does not disturb it', async () => {
  const first = await startService();
  const options = { cwd: first.directory, encoding: 'utf8', timeout: 20_000 } as const;
  const second = spawnSync(process.execPath, [main, '--port', '0'], options);
  assert.is(second.status, 78, second.stderr);
  assert.match(second.stderr, `is in use by process ${first.pid}`);
  assert.is(second.stdout, '');
  await first.client.createSession();
  assert.is((await first.client.health()).sessions, 1);
  await first.kill();
  const third = await first.restart();
  assert.is((await third.client.health()).sessions, 1);
  await third.stop();
});

test('a directory that may not be written to ends the start with 78 and one line that says so', () => {
  const directory = tempDirectory('read-only');
  const data = join(directory, 'data');
  mkdirSync(data);
  writeFileSync(join(directory, 'service.config.json'), JSON.stringify({ storage: { directory: data } }));
  for (const path of [dirname(directory), directory]) chmodSync(path, 0o755);
  chmodSync(data, 0o555);
  // To root nothing is read-only by its mode: then somebody else starts it.
  const somebody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const options = { cwd: directory, encoding: 'utf8', timeout: 20_000, env: {}, ...somebody } as const;
  if (spawnSync(process.execPath, [main, '--version'], options).status !== 0)
    return console.log('SKIPPED the read-only directory: another user can not read this checkout');
  const { status, stderr } = spawnSync(process.execPath, [main, '--port', '0'], options);
  assert.is(status, 78, stderr);
  assert.match(stderr.trim(), /^.*can't be used: the server may not write to it\.$/);
});

test('a directory that its file system refuses to make ends the start with 78, it does not hang it', () => {
  if (!existsSync('/proc/self')) return console.log('SKIPPED the directory below /proc: there is no /proc here');
  for (const data of ['/proc', '/proc/service/data']) {
    const env = { ...process.env, SERVICE_DATA_DIR: data };
    const options = { cwd: tempDirectory('proc'), encoding: 'utf8', timeout: 20_000, env } as const;
    const { status, stderr } = spawnSync(process.execPath, [main, '--port', '0'], options);
    assert.is(status, 78, stderr);
    assert.match(stderr.trim(), /^agent-session-service: The data directory \/proc.* can't be used: .*\.$/);
  }
});

test('a full disk: 500 without a trace, reading goes on, and there is space again', async () => {
  const directory = tempDirectory('full');
  const data = join(directory, 'data');
  mkdirSync(data);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', data]).status !== 0)
    return console.log('SKIPPED the full disk: nothing may be mounted here');
  const unmount = () => spawnSync('umount', ['-l', data]);
  process.once('exit', unmount);
  const settings = { storage: { directory: data, minFreeBytes: 0 }, checkpoints: { enabled: false } };
  const service = await startService({ directory, settings });
  try {
    const { session } = await service.client.createSession({ title: 'Before' });
    await within(10_000, service.client.sendAndWait(session.id, 'say before'));

    spawnSync('dd', ['if=/dev/zero', `of=${join(data, 'ballast')}`, 'bs=4096'], { stdio: 'ignore' });
    const big = 'x'.repeat(8_000);
    let refused = 'no error';
    for (let n = 0; n < 20 && refused === 'no error'; n++)
      refused = await codeOf(service.client.createSession({ systemPrompt: big }));
    assert.is(refused, 'internal_error');
    assert.is(await codeOf(service.client.sendMessage(session.id, { content: big })), 'internal_error');
    const { session: same } = await service.client.readSession(session.id);
    assert.equal([same.status, same.messages.map(({ role }) => role)], ['idle', ['user', 'assistant']]);

    rmSync(join(data, 'ballast'));
    const result = await within(10_000, service.client.sendAndWait(session.id, 'say after'));
    assert.equal([result.status, result.message?.content], ['completed', 'after']);
    assert.match(service.output(), 'ENOSPC');
    await service.kill();

    const again = await service.restart();
    const { session: kept } = await again.client.readSession(session.id);
    assert.equal(
      kept.messages.map(({ content }) => content),
      ['say before', 'before', 'say after', 'after'],
    );
    assert.not.ok(readdirSync(data).includes('quarantine'));
    await again.stop();
  } finally {
    await service.kill().catch(() => undefined);
    process.off('exit', unmount);
    unmount();
  }
});

test('a start whose standard output is closed goes on, and is found by its port', async () => {
  const directory = tempDirectory('closed');
  writeFileSync(join(directory, 'service.config.json'), JSON.stringify({ storage: { directory } }));
  const port = await freePort();
  const child = spawn(process.execPath, [main, '--port', String(port)], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  child.stderr.destroy();
  const ended = once(child, 'close');
  const health = () =>
    fetch(`http://127.0.0.1:${port}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await eventually(10_000, health);
  child.kill('SIGTERM');
  await within(10_000, ended);
});

test.run();
