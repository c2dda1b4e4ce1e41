import { type Stats, statSync } from 'node:fs';

/** What was made from files, and the absolute paths it depends on: also those that were looked for and not there. */
export interface MadeFromFiles<T> {
  value: T;
  paths: readonly string[];
}

interface Remembered<T> extends MadeFromFiles<T> {
  states: string;
}

/** A change this close before a look may not show in the file's times, in milliseconds. */
const racyMs = 50;
const mostEntries = 1_000;

/**
 * Remembers per key what `make` made, for as long as the files it depends on keep existence, times, size and identity.
 * Asking costs one `stat` per path; nothing is opened or read until something changed.
 */
export function rememberFiles<T>(make: (key: string) => Promise<MadeFromFiles<T>>): (key: string) => Promise<T> {
  const entries = new Map<string, Remembered<T>>();
  return async (key) => {
    const known = entries.get(key);
    if (known && statesOf(known.paths).text === known.states) return known.value;
    const started = Date.now();
    const { value, paths } = await make(key);
    const { text, newest } = statesOf(paths);
    entries.delete(key);
    if (newest < started - racyMs) entries.set(key, { value, paths, states: text });
    const oldest = entries.size > mostEntries ? entries.keys().next().value : undefined;
    if (oldest !== undefined) entries.delete(oldest);
    return value;
  };
}

/**
 * Blocking on purpose: a `stat` of a path that the kernel has at hand costs 1.5 microseconds here and ten times that through
 * the thread pool, and this stands before every model call.
 */
function statesOf(paths: readonly string[]): { text: string; newest: number } {
  let text = '';
  let newest = 0;
  for (const path of paths) {
    const file = statIfThere(path);
    text += file ? `${file.ctimeMs}:${file.mtimeMs}:${file.size}:${file.ino}|` : '-|';
    if (file) newest = Math.max(newest, file.ctimeMs, file.mtimeMs);
  }
  return { text, newest };
}

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
