import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { systemCode } from '../base/caught.ts';

/**
 * The system calls the file driver is made of, and nothing else: what a test replaces to inject faults and crashes.
 * Errors are Node's (`code` is set). Files are created 0600, directories 0700.
 */
export interface FilePort {
  /** `append` creates the file if need be; `replace` empties it first; `update` wants it to exist. Returns a descriptor. */
  open(path: string, how: 'append' | 'replace' | 'update'): Promise<number>;
  close(descriptor: number): Promise<void>;
  /** May write less than it was given, like write(2). Blocks: for small batches to an open descriptor. */
  writeSync(descriptor: number, bytes: Uint8Array): number;
  write(descriptor: number, bytes: Uint8Array): Promise<number>;
  truncateSync(descriptor: number, length: number): void;
  datasync(descriptor: number): Promise<void>;
  sync(descriptor: number): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  /** Creates what is missing of the path. */
  makeDirectory(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file or a whole tree, also one that a file is just being added to; nothing there is fine. */
  remove(path: string): Promise<void>;
  /** The names in a directory; empty when it is not there. */
  list(path: string): Promise<string[]>;
  /** Undefined when there is no such file. */
  read(path: string): Promise<Buffer | undefined>;
  /** At most `length` bytes from the start. Undefined when there is no such file. */
  readHead(path: string, length: number): Promise<Buffer | undefined>;
}

const flags = { append: 'a', replace: 'w', update: 'r+' } as const;

const call = {
  open: promisify(fs.open),
  close: promisify(fs.close),
  datasync: promisify(fs.fdatasync),
  sync: promisify(fs.fsync),
};

export const systemFiles: FilePort = {
  open: (path, how) => call.open(path, flags[how], 0o600),
  close: (descriptor) => call.close(descriptor),
  writeSync: (descriptor, bytes) => fs.writeSync(descriptor, bytes),
  write: (descriptor, bytes) =>
    new Promise((resolve, reject) => {
      fs.write(descriptor, bytes, (error, written) => (error ? reject(error) : resolve(written)));
    }),
  truncateSync: (descriptor, length) => fs.ftruncateSync(descriptor, length),
  datasync: (descriptor) => call.datasync(descriptor),
  sync: (descriptor) => call.sync(descriptor),
  async syncDirectory(path) {
    const descriptor = await call.open(path, 'r');
    try {
      await call.sync(descriptor);
    } finally {
      await call.close(descriptor);
    }
  },
  makeDirectory: async (path) => void (await fs.promises.mkdir(path, { recursive: true, mode: 0o700 })),
  rename: (from, to) => fs.promises.rename(from, to),
  remove: (path) => fs.promises.rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 10 }),
  list: async (path) => (await absentAs(fs.promises.readdir(path))) ?? [],
  read: (path) => absentAs(fs.promises.readFile(path)),
  readHead: (path, length) => absentAs(readStart(path, length)),
};

/** Whether an error says that the path is not there. */
export function isAbsent(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

async function absentAs<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

async function readStart(path: string, length: number): Promise<Buffer> {
  const file = await fs.promises.open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
