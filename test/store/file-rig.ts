import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../lib/base/clock.ts';
import type { Logger } from '../../lib/base/log.ts';
import { createFileStore, type FileStoreOptions } from '../../lib/store/file-store.ts';
import type { OpenedStore, SessionStore } from '../../lib/store/session-store.ts';

export const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
};

export function fileStore(directory: string, options: Partial<FileStoreOptions> = {}): SessionStore {
  return createFileStore({ directory, durability: 'full', clock: systemClock, log: silent, ...options });
}

/** Opens a store, lets `body` use it, closes it. */
export async function withStore<T>(
  directory: string,
  body: (store: SessionStore, opened: OpenedStore) => Promise<T>,
  options: Partial<FileStoreOptions> = {},
): Promise<T> {
  const store = fileStore(directory, options);
  const opened = await store.open({ resident: () => undefined });
  try {
    return await body(store, opened);
  } finally {
    await store.close();
  }
}

export async function withDirectory(body: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'store-'));
  try {
    await body(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Every regular file below a directory with its bytes. */
export async function filesBelow(directory: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found.set(path, await readFile(path));
  }
  return found;
}

/** The files that contain a text. */
export async function filesWith(directory: string, text: string): Promise<string[]> {
  const files = await filesBelow(directory);
  return [...files].filter(([path, bytes]) => path.includes(text) || bytes.includes(text)).map(([path]) => path);
}
