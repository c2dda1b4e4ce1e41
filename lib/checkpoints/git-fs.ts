import { promises } from 'node:fs';
import type { PromiseFsClient } from 'isomorphic-git';
import { type ReplaceOptions, replaceFile } from './durable-files.ts';

/** The file system that isomorphic-git gets: its own writes are neither atomic nor synced, these are. */
export function createGitFs(options: ReplaceOptions): PromiseFsClient {
  const { readFile, mkdir, rmdir, unlink, stat, lstat, readdir, readlink, symlink } = promises;
  const writeFile = async (path: string, content: string | Uint8Array): Promise<void> =>
    replaceFile(path, content, options);
  return { promises: { readFile, writeFile, mkdir, rmdir, unlink, stat, lstat, readdir, readlink, symlink } };
}
