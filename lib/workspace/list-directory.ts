import { constants, type Dirent, type Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isoTime } from '../base/clock.ts';
import { ServiceError } from '../wire/errors.ts';
import { limits } from '../wire/limits.ts';
import type { WorkspaceEntry, WorkspaceListing } from '../wire/workspace.ts';
import { type Bounds, directoryPath, type Opened, openInside } from './open-inside.ts';
import { childPath } from './workspace-path.ts';

/** A larger directory is listed from the first that the file system names: memory stays bounded. */
const mostNames = 50_000;
/** More links than this are not resolved. */
const mostLinks = 1_000;

/** Each takes a descriptor while its target is looked at. */
const linksAtOnce = 4;

/** `O_PATH` where there is one: it tells what a link points to without opening it, so nothing that is a device notices. */
const lookFlags = process.platform === 'linux' ? 0o10_000_000 : constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Contract: WorkspaceListing. Directories first, then files, both by name (code units). A link is shown as what it
 * points to when that lies inside the workspace, and left out otherwise; FIFOs, sockets and devices are left out.
 */
export async function listDirectory(bounds: Bounds, path = '.'): Promise<WorkspaceListing> {
  const opened = await openDirectory(bounds, path);
  try {
    const found = await readNames(bounds, opened);
    const links = found.names.filter((entry) => entry.isSymbolicLink()).slice(0, mostLinks);
    const linked = await mapAll(links, (entry) => entryOfLink(bounds, opened.path, entry.name), linksAtOnce);
    const plain = found.names.filter((entry) => entry.isDirectory() || entry.isFile());
    const candidates: (WorkspaceEntry | Dirent)[] = [...plain, ...linked.filter((entry) => entry !== undefined)];
    const shown = candidates.sort(directoriesFirst).slice(0, limits.listingEntries);
    const entries = await mapAll(shown, (entry) =>
      'path' in entry && 'type' in entry ? entry : entryOf(opened, entry),
    );
    const listing: WorkspaceListing = { path: opened.path, entries: entries.filter((entry) => entry !== undefined) };
    if (candidates.length > shown.length || found.cut) listing.truncated = true;
    return listing;
  } finally {
    await opened.handle.close();
  }
}

/** Opens a directory inside; the caller closes it. Throws ServiceError `invalid_path` when it is a file. */
export async function openDirectory(bounds: Bounds, path: string): Promise<Opened> {
  const opened = await openInside(bounds, path === '' ? '.' : path);
  if (opened.stats.isDirectory()) return opened;
  await opened.handle.close();
  throw new ServiceError('invalid_path', 'The path is a file, not a directory.');
}

/** The names in an open directory without the service's own, unsorted. */
export async function readNames(bounds: Bounds, opened: Opened): Promise<{ names: Dirent[]; cut: boolean }> {
  const names: Dirent[] = [];
  for await (const entry of await opendir(directoryPath(opened), { bufferSize: 512 })) {
    if (names.length === mostNames) return { names, cut: true };
    if (!bounds.isOwnPath(join(opened.realPath, entry.name))) names.push(entry);
  }
  return { names, cut: false };
}

/** Undefined when it is gone by now. */
async function entryOf(opened: Opened, entry: Dirent): Promise<WorkspaceEntry | undefined> {
  const stats = await lstat(`${directoryPath(opened)}/${entry.name}`).catch(() => undefined);
  return stats && describe(childPath(opened.path, entry.name), entry.name, stats);
}

async function entryOfLink(bounds: Bounds, directory: string, name: string): Promise<WorkspaceEntry | undefined> {
  try {
    const target = await openInside(bounds, childPath(directory, name), lookFlags);
    await target.handle.close();
    return describe(target.path, name, target.stats);
  } catch {
    return undefined;
  }
}

function describe(path: string, name: string, stats: Stats): WorkspaceEntry | undefined {
  const modifiedAt = isoTime(stats.mtimeMs);
  if (stats.isDirectory()) return { name, path, type: 'directory', modifiedAt };
  return stats.isFile() ? { name, path, type: 'file', size: stats.size, modifiedAt } : undefined;
}

function directoriesFirst(a: WorkspaceEntry | Dirent, b: WorkspaceEntry | Dirent): number {
  const order = Number(isDirectory(b)) - Number(isDirectory(a));
  return order !== 0 ? order : a.name < b.name ? -1 : 1;
}

function isDirectory(entry: WorkspaceEntry | Dirent): boolean {
  return 'type' in entry ? entry.type === 'directory' : entry.isDirectory();
}

/** In order, so many at once: file system calls share a few threads with everything else. */
export async function mapAll<In, Out>(
  items: readonly In[],
  fn: (item: In) => Promise<Out> | Out,
  atOnce = 32,
): Promise<Out[]> {
  const results: Out[] = [];
  for (let at = 0; at < items.length; at += atOnce)
    results.push(...(await Promise.all(items.slice(at, at + atOnce).map(fn))));
  return results;
}
