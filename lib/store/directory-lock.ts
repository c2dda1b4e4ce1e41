import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errorCode } from './file-port.ts';
import { layout } from './store-paths.ts';

export interface DirectoryLock {
  /** Gives the directory free. Idempotent. */
  release(): Promise<void>;
}

interface Holder {
  pid: number;
  host: string;
  startedAt: string;
}

const displacedPrefix = 'lock.displaced.';

/**
 * Takes a data directory for this process, creating it if need be. Whoever listens on `lock.sock` holds it: the kernel
 * ends that with the process, however it ends, and a stopped process still counts. Nothing is decided by time.
 * Throws an Error with `exitCode` 78 that names the holder, or says why the directory can't be used.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const descriptor = openDirectory(directory);
  const short = shortPath(directory, descriptor);
  const own = `lock.${process.pid}.${randomBytes(4).toString('hex')}.sock`;
  let server: Server | undefined;
  try {
    server = await listen(join(short, own));
    await takeName(directory, short, own);
    fs.rmSync(join(directory, own), { force: true });
    const holder: Holder = { pid: process.pid, host: hostname(), startedAt: new Date().toISOString() };
    fs.writeFileSync(join(directory, layout.lockFile), `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch (error) {
    await closed(server);
    fs.rmSync(join(directory, own), { force: true });
    fs.closeSync(descriptor);
    throw refusal(directory, error);
  }
  let held: Server | undefined = server;
  return {
    async release() {
      if (!held) return;
      const listening = held;
      held = undefined;
      fs.rmSync(join(directory, layout.lockFile), { force: true });
      fs.rmSync(join(directory, layout.lockSocket), { force: true });
      await closed(listening);
      fs.closeSync(descriptor);
    },
  };
}

/**
 * Puts our socket under the common name. A dead one is first moved aside, which only one process can do, and looked at
 * again there: if a live one was caught between two looks it is put back.
 */
async function takeName(directory: string, short: string, own: string): Promise<void> {
  const name = join(directory, layout.lockSocket);
  for (;;) {
    if (await isAlive(join(short, layout.lockSocket))) throw heldError(directory);
    const displaced = `${displacedPrefix}${own}`;
    if (moveAside(name, join(directory, displaced))) {
      const live = await isAlive(join(short, displaced));
      if (live) linkUnlessThere(join(directory, displaced), name);
      fs.rmSync(join(directory, displaced), { force: true });
      if (live) throw heldError(directory);
    }
    if (!linkUnlessThere(join(directory, own), name)) continue;
    if (!(await anyDisplacedAlive(directory, short, own))) return;
    fs.rmSync(name, { force: true });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Somebody else is about to put a live holder's socket back: then the name is not ours to keep. */
async function anyDisplacedAlive(directory: string, short: string, own: string): Promise<boolean> {
  for (const name of fs.readdirSync(directory)) {
    if (!/^lock\..+\.sock$/.test(name) || name === own) continue;
    const alive = await isAlive(join(short, name));
    if (alive && name.startsWith(displacedPrefix)) return true;
    if (!alive) fs.rmSync(join(directory, name), { force: true });
  }
  return false;
}

/** Only a refused connection (nobody listens) or no socket at all means that nobody holds it. */
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(errorCode(error) ?? '')));
  });
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen(path, () => {
      server.unref();
      resolve(server);
    });
  });
}

function closed(server: Server | undefined): Promise<void> {
  return new Promise((resolve) => (server ? server.close(() => resolve()) : resolve()));
}

function moveAside(from: string, to: string): boolean {
  try {
    fs.renameSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function linkUnlessThere(from: string, to: string): boolean {
  try {
    fs.linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** A path that fits a socket address (about 100 bytes) however deep the directory lies, where the system offers one. */
function shortPath(directory: string, descriptor: number): string {
  const viaDescriptor = `/proc/self/fd/${descriptor}`;
  return fs.existsSync(viaDescriptor) ? viaDescriptor : directory;
}

function openDirectory(directory: string): number {
  try {
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    return fs.openSync(directory, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  } catch (error) {
    throw refusal(directory, error);
  }
}

function heldError(directory: string): Error {
  let by = 'another process';
  try {
    const { pid, host, startedAt } = JSON.parse(fs.readFileSync(join(directory, layout.lockFile), 'utf8')) as Holder;
    by = `process ${pid} on ${host}, started ${startedAt}`;
  } catch {
    // The holder is about to write it, or it was removed by hand; the lock holds without it.
  }
  return new Error(`The data directory ${directory} is in use by ${by}. Stop it or choose another storage.directory.`);
}

/** Adds the exit code of a configuration that can't work, and words to what the system says. */
function refusal(directory: string, error: unknown): Error {
  const code = errorCode(error);
  if (!code && error instanceof Error) return Object.assign(error, { exitCode: 78 });
  const why = reasons[code ?? ''] ?? `the system answers ${code}`;
  return Object.assign(new Error(`The data directory ${directory} can't be used: ${why}.`), { exitCode: 78, code });
}

const reasons: Record<string, string> = {
  EACCES: 'the server may not write to it',
  EPERM: 'the server may not write to it',
  EROFS: 'it lies on a read-only file system',
  EEXIST: 'it is not a directory',
  ENOTDIR: 'it is not a directory',
  ENOSPC: 'no space is left on the device',
};
