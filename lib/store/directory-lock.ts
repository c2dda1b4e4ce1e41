import { randomBytes, randomInt } from 'node:crypto';
import * as fs from 'node:fs';
import { connect, createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { systemCode } from '../base/caught.ts';
import { makeDirectory } from '../base/make-directory.ts';
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

/**
 * Takes a data directory for this process, creating it if need be. Every process that wants it listens on a socket of
 * its own in `lock/` first and looks at the others' then: whoever comes later sees the earlier one and steps back. The
 * kernel ends a holder's claim with its process, however that ends; a stopped process still holds. Nothing is decided by
 * time. Throws an Error with `exitCode` 78 that names the holder, or says why the directory can't be used.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const sockets = join(directory, layout.lock);
  try {
    await makeDirectory(sockets, { mode: 0o700 });
    const claim = await takeClaim(directory, sockets);
    const holder: Holder = { pid: process.pid, host: hostname(), startedAt: new Date().toISOString() };
    writeHolder(join(directory, layout.lockFile), holder);
    let held = true;
    return {
      async release() {
        if (!held) return;
        held = false;
        removeOwn(join(directory, layout.lockFile));
        await claim.end();
      },
    };
  } catch (error) {
    throw refusal(directory, error);
  }
}

/** Who has a data directory, in words; undefined when nobody does. Changes nothing: also for one that a service works in. */
export async function lockHolder(directory: string): Promise<string | undefined> {
  const sockets = join(directory, layout.lock);
  if (!fs.existsSync(sockets)) return undefined;
  const descriptor = fs.openSync(sockets, 'r');
  try {
    for (const name of fs.readdirSync(sockets).filter((name) => name.endsWith('.sock')))
      if (await isAlive(join(shortPath(sockets, descriptor), name))) return holderName(directory);
    return undefined;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The sockets decide; the file is for people, and a full disk is no reason to stay down. */
function writeHolder(path: string, holder: Holder): void {
  try {
    fs.writeFileSync(path, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch (error) {
    if (systemCode(error) !== 'ENOSPC') throw error;
  }
}

/** Without its process neither file means anything, so that both may stay where nothing can be removed any more. */
function removeOwn(path: string): void {
  try {
    removeFile(path);
  } catch (error) {
    if (systemCode(error) !== 'EROFS') throw error;
  }
}

/** Not by `rmSync`, whose errors have no code on Node 24 where the file system is read-only. */
function removeFile(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

interface Claim {
  end(): Promise<void>;
}

/** Two that meet while both are still looking step back and try again after different pauses. */
async function takeClaim(directory: string, sockets: string): Promise<Claim> {
  for (let round = 1; ; round++) {
    if (await othersAlive(sockets)) throw heldError(directory);
    const own = `${process.pid}-${randomBytes(6).toString('hex')}.sock`;
    const claim = await listen(sockets, own);
    try {
      if (!(await othersAlive(sockets, own))) return claim;
      await claim.end();
      if (round === mostRounds) throw heldError(directory);
    } catch (error) {
      await claim.end();
      throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, randomInt(5, 25 * round)));
  }
}

/** Whether anybody else listens; removes the sockets of processes that are gone. Their names are never used again. */
async function othersAlive(sockets: string, own?: string): Promise<boolean> {
  const names = fs.readdirSync(sockets).filter((name) => name.endsWith('.sock') && name !== own);
  const descriptor = fs.openSync(sockets, 'r');
  try {
    for (const name of names) {
      if (await isAlive(join(shortPath(sockets, descriptor), name))) return true;
      removeFile(join(sockets, name));
    }
    return false;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Listens under a name that others look at only once it answers. */
async function listen(sockets: string, own: string): Promise<Claim> {
  const descriptor = fs.openSync(sockets, 'r');
  const server = createServer((socket) => socket.destroy());
  // A connection that could not be accepted, for want of descriptors: the claim stands, and whoever looks sees it.
  server.on('error', () => undefined);
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => {
    ended ??= new Promise((resolve) => {
      removeOwn(join(sockets, own));
      server.close(() => {
        fs.closeSync(descriptor);
        resolve();
      });
    });
    return ended;
  };
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(join(shortPath(sockets, descriptor), `${own}.new`), resolve);
    });
    server.unref();
    fs.renameSync(join(sockets, `${own}.new`), join(sockets, own));
  } catch (error) {
    await end();
    throw error;
  }
  return { end };
}

/** Only a refused connection (nobody listens) or no socket at all means that nobody holds it. */
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(systemCode(error) ?? '')));
  });
}

/** A path that fits a socket address (about 100 bytes) however deep the directory lies, where the system offers one. */
function shortPath(directory: string, descriptor: number): string {
  const viaDescriptor = `/proc/self/fd/${descriptor}`;
  return fs.existsSync(viaDescriptor) ? viaDescriptor : directory;
}

function heldError(directory: string): Error {
  const by = holderName(directory);
  return new Error(`The data directory ${directory} is in use by ${by}. Stop it or choose another storage.directory.`);
}

function holderName(directory: string): string {
  try {
    const { pid, host, startedAt } = JSON.parse(fs.readFileSync(join(directory, layout.lockFile), 'utf8')) as Holder;
    return `process ${pid} on ${host}, started ${startedAt}`;
  } catch {
    // The holder is about to write it, or it was removed by hand; the lock holds without it.
    return 'another process';
  }
}

/** Adds the exit code of a configuration that can't work, and words to what the system says. */
function refusal(directory: string, error: unknown): Error {
  const code = systemCode(error);
  if (!code && error instanceof Error) return Object.assign(error, { exitCode: 78 });
  const why = reasons[code ?? ''] ?? `the system answers ${code}`;
  return Object.assign(new Error(`The data directory ${directory} can't be used: ${why}.`), { exitCode: 78, code });
}

const reasons: Record<string, string> = {
  EACCES: 'the server may not write to it',
  EPERM: 'the server may not write to it',
  ENOENT: 'its file system takes no directories',
  EROFS: 'it lies on a read-only file system',
  EEXIST: 'it is not a directory',
  ENOTDIR: 'it is not a directory',
  ENOSPC: 'no space is left on the device',
};

const mostRounds = 20;
