import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../../lib/base/caught.ts';
import type { Config } from '../../lib/config/config.ts';
import { lockHolder } from '../../lib/store/directory-lock.ts';
import { type Check, fail, ok, warn } from './check.ts';

/** Whether the data directory can be used, who uses it now, and how much space is left. Writes nothing. */
export async function checkDataDirectory({ directory, minFreeBytes }: Config['storage']): Promise<Check[]> {
  const subject = 'Data';
  const there = await nearestExisting(directory);
  if (there === undefined || !(await isWritable(there)))
    return [
      fail(subject, `${directory} can't be written to by this user. Correct its owner, or set storage.directory.`),
    ];
  if (await takesNoDirectories(there))
    return [fail(subject, `${directory} lies on a file system that takes no directories. Set storage.directory.`)];
  const made = there === directory ? 'is writable' : 'will be created by the first start';
  return [
    ok(subject, `${directory} ${made}.`),
    ...(await permissions(directory)),
    await lock(directory),
    await space(there, minFreeBytes),
  ];
}

/** The directory itself or the closest one above it; undefined when something that is no directory is in the way. */
async function nearestExisting(path: string): Promise<string | undefined> {
  const entry = await stat(path).catch(() => undefined);
  if (entry) return entry.isDirectory() ? path : undefined;
  const above = dirname(path);
  return above === path ? undefined : nearestExisting(above);
}

/** Of the kernel's own file systems, as `statfs` names them: to root they look as if they could be written to. */
const kernelFileSystems = new Set([0x9fa0, 0x62656572]);

async function takesNoDirectories(path: string): Promise<boolean> {
  const type = (await statfs(path).catch(() => undefined))?.type;
  return type !== undefined && kernelFileSystems.has(type);
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function permissions(directory: string): Promise<Check[]> {
  const mode = (await stat(directory).catch(() => undefined))?.mode ?? 0;
  if ((mode & 0o007) === 0) return [];
  return [warn('Access', `${directory} is open to every user of this machine, and holds transcripts: chmod 700.`)];
}

async function lock(directory: string): Promise<Check> {
  try {
    const holder = await lockHolder(directory);
    return holder === undefined
      ? ok('Lock', 'Nobody uses the data directory.')
      : ok('Lock', `In use by ${holder}: stop it before another one starts here.`);
  } catch (error) {
    return fail('Lock', `Who uses the data directory can't be seen: ${messageOf(error)}.`);
  }
}

async function space(path: string, least: number): Promise<Check> {
  const found = await statfs(path).catch(() => undefined);
  if (!found) return warn('Disk', `The free space of ${path} can't be measured.`);
  const free = found.bavail * found.bsize;
  const text = `${megabytes(free)} are free`;
  if (free < least)
    return fail('Disk', `Only ${text}: below storage.minFreeBytes (${megabytes(least)}) new work is refused.`);
  return free < 10 * least ? warn('Disk', `${text}: not much.`) : ok('Disk', `${text}.`);
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / (1024 * 1024))} MB`;
}
