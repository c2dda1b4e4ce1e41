import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DirectoryLock, lockDirectory } from '../../lib/store/directory-lock.ts';
import { mountSmallDisk } from '../faults/small-disk.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';

if (process.argv[2] === 'hold') await hold(process.argv[3] ?? '');

const test = suite('one data directory serves one process');

test('a second taker is refused with exit code 78 and told who holds it', async () => {
  const directory = tempDirectory();
  const lock = await lockDirectory(directory);
  const error = await refused(directory);
  assert.is(error.exitCode, 78);
  assert.match(error.message, `process ${process.pid} on `);
  assert.match(error.message, directory);
  await lock.release();
  await (await lockDirectory(directory)).release();
});

test('it is free again after a release, which leaves nothing behind and may be repeated', async () => {
  const directory = tempDirectory();
  const lock = await lockDirectory(directory);
  await lock.release();
  await lock.release();
  assert.equal(await readdir(join(directory, 'lock')), []);
});

test('it is released where nothing can be removed any more, and what stays is not in the way', async () => {
  const disk = mountSmallDisk();
  if (!disk) return;
  try {
    const lock = await lockDirectory(disk.directory);
    assert.ok(disk.readOnly(true));
    await lock.release();
    assert.ok(disk.readOnly(false));
    await (await lockDirectory(disk.directory)).release();
  } finally {
    disk.unmount();
  }
});

test('connections that cannot be accepted end neither the process nor the claim', async () => {
  const directory = tempDirectory();
  const { listen } = Server.prototype;
  let claim: Server | undefined;
  Object.assign(Server.prototype, {
    listen(this: Server, ...where: unknown[]) {
      claim = this;
      return Reflect.apply(listen, this, where);
    },
  });
  const lock = await lockDirectory(directory).finally(() => Object.assign(Server.prototype, { listen }));
  // More than one: what waits for the first error of a start to listen takes that one.
  for (let round = 0; round < 3; round++)
    claim?.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
  assert.ok(claim?.listening);
  assert.match((await refused(directory)).message, `process ${process.pid} on `);
  await lock.release();
});

test('another process that holds it is named; once killed it is not in the way', async () => {
  const directory = tempDirectory();
  const holder = await startHolder(directory);
  const error = await refused(directory);
  assert.match(error.message, `process ${holder.pid} on `);
  await killed(holder);
  const lock = await within(2_000, lockDirectory(directory));
  await lock.release();
  assert.equal(await readdir(join(directory, 'lock')), []);
});

test('a holder that is stopped is never robbed', async () => {
  const directory = tempDirectory();
  const holder = await startHolder(directory);
  holder.kill('SIGSTOP');
  try {
    for (let round = 0; round < 20; round++) assert.is((await refused(directory)).exitCode, 78);
  } finally {
    await killed(holder);
  }
});

test('of many takers at once exactly one gets it, also over a dead holder', async () => {
  const directory = tempDirectory();
  await killed(await startHolder(directory));
  for (let round = 0; round < 20; round++) {
    const results = await within(5_000, Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(directory))));
    const won = results.filter(
      (result): result is PromiseFulfilledResult<DirectoryLock> => result.status === 'fulfilled',
    );
    assert.is(won.length, 1, `round ${round}`);
    await won[0]?.value.release();
  }
});

test('the length of the path does not matter', async () => {
  const directory = join(tempDirectory(), 'd'.repeat(120), 'e'.repeat(120));
  const lock = await lockDirectory(directory);
  assert.is((await refused(directory)).exitCode, 78);
  await lock.release();
});

test('its files are for the owner only', async () => {
  const directory = join(tempDirectory(), 'fresh');
  const lock = await lockDirectory(directory);
  assert.is((await stat(directory)).mode & 0o777, 0o700);
  assert.is((await stat(join(directory, 'lock.json'))).mode & 0o777, 0o600);
  await lock.release();
});

test('a path that is a file, or lies below one, is refused in one line', async () => {
  const file = join(tempDirectory(), 'file');
  writeFileSync(file, '');
  for (const path of [file, join(file, 'below')]) {
    const error = await refused(path);
    assert.is(error.exitCode, 78);
    assert.match(error.message, 'it is not a directory');
    assert.not.match(error.message, '\n');
  }
});

test('a directory that can not be written to is refused', async () => {
  if (process.getuid?.() === 0) {
    console.log('SKIPPED a directory that can not be written to: the superuser can write everywhere');
    return;
  }
  const directory = join(tempDirectory(), 'read-only');
  mkdirSync(directory, { mode: 0o500 });
  const error = await refused(directory);
  assert.is(error.exitCode, 78);
  assert.match(error.message, 'may not write');
});

test.run();

/** The other process: takes the lock, says so, stays. */
async function hold(directory: string): Promise<never> {
  await lockDirectory(directory);
  process.stdout.write('held\n');
  setInterval(() => undefined, 1_000);
  return new Promise(() => undefined);
}

async function startHolder(directory: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'hold', directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await within(10_000, new Promise((resolve) => child.stdout?.once('data', resolve)), 'the holder');
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await within(5_000, gone, 'the end of the holder');
}

async function refused(directory: string): Promise<Error & { exitCode?: number }> {
  try {
    await lockDirectory(directory);
  } catch (error) {
    return error as Error;
  }
  throw new Error('The lock was given twice.');
}
