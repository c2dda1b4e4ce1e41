import { stat } from 'node:fs/promises';

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
 * Asking costs one round of parallel `stat` calls; nothing is opened or read until something changed.
 */
export function rememberFiles<T>(make: (key: string) => Promise<MadeFromFiles<T>>): (key: string) => Promise<T> {
  const entries = new Map<string, Remembered<T>>();
  return async (key) => {
    const known = entries.get(key);
    if (known && (await statesOf(known.paths)).text === known.states) return known.value;
    const started = Date.now();
    const { value, paths } = await make(key);
    const { text, newest } = await statesOf(paths);
    entries.delete(key);
    if (newest < started - racyMs) entries.set(key, { value, paths, states: text });
    const oldest = entries.size > mostEntries ? entries.keys().next().value : undefined;
    if (oldest !== undefined) entries.delete(oldest);
    return value;
  };
}

async function statesOf(paths: readonly string[]): Promise<{ text: string; newest: number }> {
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  const text = found.map((file) => (file ? `${file.ctimeMs}:${file.mtimeMs}:${file.size}:${file.ino}` : '-')).join('|');
  return { text, newest: Math.max(0, ...found.map((file) => (file ? Math.max(file.ctimeMs, file.mtimeMs) : 0))) };
}
