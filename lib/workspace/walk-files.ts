import type { Dirent } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { createSlices } from '../base/next-turn.ts';
import type { Slots } from '../base/slots.ts';
import { isServiceError } from '../wire/errors.ts';
import { createIgnoreRules, type IgnoreRules } from './ignore-rules.ts';
import { mapAll, openDirectory, readNames } from './list-directory.ts';
import { type Bounds, directoryPath } from './open-inside.ts';
import { readBytes } from './read-file.ts';
import { childPath, normalisePath } from './workspace-path.ts';

export interface FoundFile {
  path: string;
  size: number;
  modifiedAt: number;
}

const deepest = 64;
const mostFiles = 200_000;
const ignoreFileBytes = 256 * 1024;
const turnMs = 10;

/** What a walk carries down: its bounds and how much it has found. */
interface Walk {
  bounds: Bounds;
  signal: AbortSignal;
  /** Held for one directory at a time: whoever reads the walk may take its time. */
  slots: Slots;
  found: number;
}

interface Subdirectory {
  name: string;
  files?: undefined;
}

/**
 * Every regular file below `path`, depth first by name; links are not followed. Ends early at 200,000 files, and does
 * not descend more than 64 levels. Throws what `list` throws for `path`, and the reason of an aborted signal.
 */
export async function* walkFiles(
  bounds: Bounds,
  path: string,
  options: { signal: AbortSignal; ignore?: boolean; slots: Slots },
): AsyncGenerator<FoundFile> {
  const start = normalisePath(path);
  const above = await options.slots(async () => {
    await (await openDirectory(bounds, start)).handle.close();
    return options.ignore === false ? undefined : rulesAbove(bounds, start);
  });
  yield* walkDirectory({ bounds, signal: options.signal, slots: options.slots, found: 0 }, start, above, 0);
}

async function* walkDirectory(
  walk: Walk,
  path: string,
  above: IgnoreRules | undefined,
  depth: number,
): AsyncGenerator<FoundFile> {
  walk.signal.throwIfAborted();
  const here = await walk.slots(() => lookInto(walk.bounds, path, above));
  for (const entry of here.entries) {
    if (walk.found >= mostFiles) return;
    if ('modifiedAt' in entry) {
      walk.found++;
      yield entry;
    } else if (depth < deepest) yield* walkDirectory(walk, childPath(path, entry.name), here.rules, depth + 1);
  }
}

/** One directory: its files with their data, and its subdirectories, by name. Empty when it is gone or closed to us. */
async function lookInto(
  bounds: Bounds,
  path: string,
  above: IgnoreRules | undefined,
): Promise<{ entries: (FoundFile | Subdirectory)[]; rules: IgnoreRules | undefined }> {
  const opened = await openDirectory(bounds, path).catch((error: unknown) => {
    if (isServiceError(error)) return undefined;
    throw error;
  });
  if (opened === undefined) return { entries: [], rules: above };
  try {
    const { names } = await readNames(bounds, opened);
    const hasRules = above !== undefined && names.some((entry) => entry.name === '.gitignore' && entry.isFile());
    const rules = hasRules ? await withRulesOf(bounds, above, path) : above;
    const shown = names.filter((entry) => entry.isFile() || entry.isDirectory());
    const wanted = await notIgnored(shown, path, rules);
    wanted.sort((a, b) => (a.name < b.name ? -1 : 1));
    const entries = await mapAll(wanted, async (entry): Promise<FoundFile | Subdirectory | undefined> => {
      if (entry.isDirectory()) return { name: entry.name };
      const stats = await lstat(`${directoryPath(opened)}/${entry.name}`).catch(() => undefined);
      return stats?.isFile()
        ? { path: childPath(path, entry.name), size: stats.size, modifiedAt: stats.mtimeMs }
        : undefined;
    });
    return { entries: entries.filter((entry) => entry !== undefined), rules };
  } finally {
    await opened.handle.close();
  }
}

/** Many names under many rules take a while: others get their turn in between. */
async function notIgnored(names: readonly Dirent[], path: string, rules: IgnoreRules | undefined): Promise<Dirent[]> {
  const wanted: Dirent[] = [];
  const slices = createSlices(turnMs);
  for (const entry of names) {
    if (!rules?.ignores(childPath(path, entry.name), entry.isDirectory())) wanted.push(entry);
    if (slices.over) await slices.next();
  }
  return wanted;
}

/** The rules that hold in `path` because of the directories above it; none where it is ignored: who names it wants to see it. */
async function rulesAbove(bounds: Bounds, path: string): Promise<IgnoreRules | undefined> {
  let rules = createIgnoreRules();
  if (path === '.') return rules;
  const segments = path.split('/');
  for (let depth = 0; depth < segments.length; depth++) {
    rules = await withRulesOf(bounds, rules, segments.slice(0, depth).join('/') || '.');
    if (rules.ignores(segments.slice(0, depth + 1).join('/'), true)) return undefined;
  }
  return rules;
}

async function withRulesOf(bounds: Bounds, rules: IgnoreRules, directory: string): Promise<IgnoreRules> {
  const text = await readBytes(bounds, childPath(directory, '.gitignore'), ignoreFileBytes).catch(() => undefined);
  return text === undefined ? rules : rules.with(directory === '.' ? '' : directory, text.toString('utf8'));
}
