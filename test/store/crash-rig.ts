import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { fileStore } from './file-rig.ts';
import { noResidents } from './session-store-contract.ts';

const directories = new Map<SessionStore, string>();

export function crashedDirectory(store: SessionStore): string {
  return directories.get(store) ?? '';
}

/** What is on disk when the process ends right after `body`: a copy, since this process lives on. */
export async function crashAfter(body: (store: SessionStore) => Promise<void>, from?: string): Promise<string> {
  const directory = from ?? tempDirectory();
  const store = fileStore(directory);
  directories.set(store, directory);
  await store.open(noResidents);
  await within(10_000, body(store));
  const copy = await copyOf(directory);
  await store.close();
  return copy;
}

/** A copy of a directory whose store may be at work: when a file goes away meanwhile, the copy is made again. */
export async function copyOf(directory: string): Promise<string> {
  for (let left = 20; ; left--) {
    const copy = tempDirectory();
    try {
      await cp(directory, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
      return copy;
    } catch (error) {
      await rm(copy, { recursive: true });
      if (left === 0 || !(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
}

export function segmentIn(directory: string): string {
  return join(directory, 'log', '1.log');
}

export async function segmentNames(directory: string): Promise<string[]> {
  return (await readdir(join(directory, 'log'))).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
}

export async function snapshotOf(directory: string, id: string, revision: number): Promise<void> {
  const path = join(directory, 'sessions', `${id}.json`);
  const taken = async (): Promise<boolean> => {
    const text = await readFile(path, 'utf8').catch(() => '');
    return text.includes(`"revision":${revision}`);
  };
  while (!(await taken())) await new Promise((resolve) => setTimeout(resolve, 20));
}

export function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0x01;
  return copy;
}
