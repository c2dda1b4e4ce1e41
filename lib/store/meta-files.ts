import { join } from 'node:path';
import type { Logger } from '../base/log.ts';
import type { FilePort } from './file-port.ts';
import { ensureDirectory, replaceFile } from './replace-file.ts';
import { checkedName, layout } from './store-paths.ts';

export interface MetaFiles {
  read(key: string): Promise<string | undefined>;
  write(key: string, value: string): Promise<void>;
  keys(): Promise<string[]>;
}

const largestValue = 64 * 1024;
const suffix = '.json';

/**
 * Small durable values, one file each: `meta/<key>.json`. Writes to one key take effect in the order of the calls. A file that
 * was damaged holds no value: none is worth a start, and the log names it.
 */
export function createMetaFiles(files: FilePort, root: string, log: Pick<Logger, 'warn'>): MetaFiles {
  const directory = join(root, layout.meta);
  const writing = new Map<string, Promise<void>>();
  const pathOf = (key: string): string => join(directory, `${checkedName(key)}${suffix}`);

  return {
    async keys() {
      const names = await files.list(directory);
      return names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
    },
    async read(key) {
      const bytes = await files.read(pathOf(key));
      if (!bytes) return undefined;
      const value = valueIn(bytes.toString('utf8'));
      if (value === undefined) log.warn('A small value of the store is damaged and counts as missing.', { key });
      return value;
    },
    async write(key, value) {
      if (value.length > largestValue) throw new Error(`The value of ${key} is over 64 KB.`);
      const task = (writing.get(key) ?? Promise.resolve()).then(() => replace(key, value));
      const settled = task.catch(() => undefined);
      writing.set(key, settled);
      await task.finally(() => {
        if (writing.get(key) === settled) writing.delete(key);
      });
    },
  };

  async function replace(key: string, value: string): Promise<void> {
    await ensureDirectory(files, root, directory);
    await replaceFile(files, pathOf(key), [Buffer.from(`${JSON.stringify({ value })}\n`)]);
  }
}

function valueIn(text: string): string | undefined {
  try {
    const stored: unknown = JSON.parse(text);
    return typeof stored === 'object' && stored && 'value' in stored ? String(stored.value) : undefined;
  } catch {
    return undefined;
  }
}
