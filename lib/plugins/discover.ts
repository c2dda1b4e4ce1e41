import { type Dirent, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { messageOf, systemCode } from '../base/caught.ts';
import type { Logger } from '../base/log.ts';
import { type Manifest, manifestFile, parseManifest } from './manifest.ts';

/** A folder with a manifest, and the manifest or why it can't be used. */
export interface FoundPlugin {
  id: string;
  /** Absolute real path. */
  directory: string;
  bundled: boolean;
  manifest?: Manifest;
  problem?: string;
}

export interface DiscoverOptions {
  /** The plugins of the package itself, scanned first. */
  bundledDirectory: string;
  /** The package itself: copies of bundled plugins below it (a checkout's sources) are passed over in silence. */
  packageRoot: string;
  /** `plugins.directories`, relative to `cwd`. */
  directories: readonly string[];
  cwd: string;
  log: Logger;
}

/**
 * Every plugin folder, bundled ones first, by name within a directory. A second manifest with a name that is already
 * known is reported and left out. A directory that is not there holds no plugins. Blocks: for the start alone, where one
 * call after the other is faster than a queue.
 */
export function discoverPlugins(options: DiscoverOptions): FoundPlugin[] {
  const { bundledDirectory, directories, cwd, log } = options;
  const packageRoot = realPathOf(options.packageRoot);
  const roots = [bundledDirectory, ...directories.map((directory) => resolve(cwd, directory))];
  const found = new Map<string, FoundPlugin>();
  for (const [at, root] of roots.entries()) {
    for (const plugin of scan(root, at === 0, log)) {
      const known = found.get(plugin.id);
      if (known === undefined) found.set(plugin.id, plugin);
      else if (!isAnotherCopy(known, plugin, packageRoot))
        log.warn(`The plugin "${plugin.id}" was found twice; the second folder is not loaded.`, {
          loaded: known.directory,
          ignored: plugin.directory,
        });
    }
  }
  return [...found.values()];
}

/** The same folder again, or the source of a bundled plugin in the package that is running. */
function isAnotherCopy(known: FoundPlugin, second: FoundPlugin, packageRoot: string): boolean {
  if (known.directory === second.directory) return true;
  return known.bundled && second.directory.startsWith(packageRoot + sep);
}

function scan(root: string, bundled: boolean, log: Logger): FoundPlugin[] {
  let entries: Dirent[] = [];
  try {
    entries = readdirSync(root, { withFileTypes: true });
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? ''))
      log.warn('A plugin directory could not be read.', { directory: root });
  }
  const folders = entries.filter((entry) => !entry.isFile() && !entry.name.startsWith('.')).map((entry) => entry.name);
  const plugins = folders.sort().map((name) => read(join(root, name), bundled, log));
  return plugins.filter((plugin) => plugin !== undefined);
}

function read(folder: string, bundled: boolean, log: Logger): FoundPlugin | undefined {
  let text: string;
  try {
    text = readFileSync(join(folder, manifestFile), 'utf8');
  } catch {
    return undefined;
  }
  const directory = realPathOf(folder);
  try {
    const warnings: string[] = [];
    const manifest = parseManifest(text, (message) => warnings.push(message));
    for (const message of warnings) log.warn(`Plugin "${manifest.name}": ${message}`);
    return { id: manifest.name, directory, bundled, manifest };
  } catch (error) {
    return {
      id: basename(folder),
      directory,
      bundled,
      problem: messageOf(error),
    };
  }
}

/** The path itself when there is nothing. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
