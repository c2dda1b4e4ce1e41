import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Undo } from '../base/clock.ts';
import { limits } from '../wire/limits.ts';
import type { BundleChanges } from './plugin-host.ts';

/** Watches the `web/` directories of active plugins by polling, which works on every file system. */
export interface BundleWatcher {
  revision(pluginId: string): string | undefined;
  subscribe(fn: (changes: BundleChanges) => void): Undo;
  stop(): void;
}

export interface WatcherOptions {
  /** Values below 250 ms are clamped. */
  intervalMs: number;
  clock: Clock;
  /** Told before any subscriber, and waited for. */
  changed?: (changes: BundleChanges) => Promise<void>;
}

/** What is known of one bundle: `signature` is cheap (sizes and times) and decides whether `revision` (contents) is taken anew. */
interface Bundle {
  id: string;
  directory: string;
  signature: string;
  revision: string;
}

/** Of a bundle; what comes behind them is not looked at. */
const mostFiles = 2_000;

/**
 * Takes the first fingerprints and starts to poll. One change is reported once, when the directory is the same twice in
 * a row: a build that writes for seconds is one save. Touching a file without changing it is none.
 */
export async function watchBundles(
  plugins: readonly { id: string; directory: string }[],
  { intervalMs, clock, changed = async () => {} }: WatcherOptions,
): Promise<BundleWatcher> {
  const subscribers = new Set<(changes: BundleChanges) => void>();
  const bundles = await Promise.all(
    plugins.map(async ({ id, directory }): Promise<Bundle> => {
      const web = join(directory, 'web');
      return { id, directory: web, signature: await signatureOf(web), revision: await revisionOf(web) };
    }),
  );
  const every = Math.max(limits.hotReloadLeastMs, intervalMs);
  let stopped = false;
  let cancel = clock.after(every, poll);

  function poll(): void {
    void Promise.all(bundles.map(refresh)).then(async (all) => {
      const changes = all.filter((change) => change !== undefined);
      if (changes.length > 0) await changed(changes);
      if (stopped) return;
      if (changes.length > 0) for (const fn of [...subscribers]) fn(changes);
      cancel = clock.after(every, poll);
    });
  }

  return {
    revision: (pluginId) => bundles.find((bundle) => bundle.id === pluginId)?.revision,
    subscribe(fn) {
      subscribers.add(fn);
      return () => void subscribers.delete(fn);
    },
    stop() {
      stopped = true;
      cancel();
      subscribers.clear();
    },
  };
}

async function refresh(bundle: Bundle): Promise<BundleChanges[number] | undefined> {
  const before = await signatureOf(bundle.directory);
  if (before === bundle.signature) return undefined;
  const revision = await revisionOf(bundle.directory);
  if ((await signatureOf(bundle.directory)) !== before) return undefined;
  bundle.signature = before;
  if (revision === bundle.revision) return undefined;
  bundle.revision = revision;
  return { id: bundle.id, revision };
}

/** Changes with every write: names, sizes and times. */
async function signatureOf(directory: string): Promise<string> {
  const lines: string[] = [];
  for (const file of await filesBelow(directory)) {
    const found = await stat(join(directory, file)).catch(() => undefined);
    if (found !== undefined) lines.push(`${file}\0${found.size}\0${found.mtimeMs}\0${found.ino}`);
  }
  return lines.join('\n');
}

/** Changes with the contents: 12 hexadecimal digits. */
async function revisionOf(directory: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of await filesBelow(directory)) {
    const bytes = await readFile(join(directory, file)).catch(() => undefined);
    if (bytes !== undefined) hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex').slice(0, 12);
}

/** Regular files, by path; at most 2,000, and links are not followed. */
async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files
    .map((file) => file.slice(directory.length + 1))
    .sort()
    .slice(0, mostFiles);
}
