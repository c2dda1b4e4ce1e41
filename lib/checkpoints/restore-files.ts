import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { systemCode } from '../base/caught.ts';
import { createDirectoryCursor, type DirectoryCursor } from './directory-cursor.ts';
import { objectId } from './object-batch.ts';
import type { OpenDirectory } from './open-directory.ts';
import { baseName, parentPath, type RawPath, toFsPath } from './raw-path.ts';
import { readFileIn } from './read-file-in.ts';
import type { RestorePlan } from './restore-plan.ts';
import type { SnapshotFile } from './snapshot-node.ts';
import { isSameFile, largestFile } from './walk.ts';

/** A path that was left as it is, and why. */
export interface LeftAlone {
  path: RawPath;
  why: string;
}

export interface RestoreOutcome {
  /** Files, links and directories that were written, removed or changed. */
  touched: number;
  leftAlone: LeftAlone[];
}

export interface RestoreSource {
  /** What is in the place now, as the safety snapshot saw it. */
  captured(path: RawPath): SnapshotFile | undefined;
  content(oid: string): Promise<Buffer>;
  progress(): void;
}

/**
 * Carries a plan out below `root`. Every step goes through the open descriptor of its directory, no link is followed, and
 * nothing is removed or replaced that the safety snapshot does not hold as it is now. A step that fails is reported and
 * the others go on.
 */
export async function restoreFiles(root: string, plan: RestorePlan, source: RestoreSource): Promise<RestoreOutcome> {
  const outcome: RestoreOutcome = { touched: 0, leftAlone: [] };
  const cursor = createDirectoryCursor(root);
  const steps = createSteps(cursor, source);
  const attempt = async (path: RawPath, step: () => boolean | Promise<boolean>): Promise<void> => {
    source.progress();
    try {
      if (await step()) outcome.touched += 1;
    } catch (error) {
      cursor.close();
      outcome.leftAlone.push({ path, why: reasonOf(error) });
    }
  };
  try {
    for (const path of plan.remove) await attempt(path, () => steps.remove(path));
    for (const path of plan.removeDirectories) await attempt(path, () => steps.removeDirectory(path));
    for (const { path } of plan.makeDirectories) await attempt(path, () => steps.makeDirectory(path));
    for (const { path, file, before } of plan.write) await attempt(path, () => steps.write(path, file, before));
    for (const { path, mode } of [...plan.changeMode, ...plan.makeDirectories.toReversed()])
      await attempt(path, () => steps.changeMode(path, mode));
  } finally {
    cursor.close();
  }
  return outcome;
}

const blocked = (why: string): Error => Object.assign(new Error(why), { name: 'Blocked' });

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error.name === 'Blocked') return error.message;
  const code = systemCode(error);
  if (code === 'ENOTDIR' || code === 'ELOOP') return 'a parent is no directory, and is not part of the snapshot';
  if (code === 'ENOENT') return 'its directory could not be made';
  return code ?? error.message;
}

function createSteps(cursor: DirectoryCursor, source: RestoreSource) {
  const statsOf = (directory: OpenDirectory, name: RawPath): Stats | undefined =>
    lstatSync(directory.at(name), { throwIfNoEntry: false });

  /** Refuses to lose what the safety snapshot does not hold. */
  const checkCaptured = (path: RawPath, stats: Stats): void => {
    const node = source.captured(path)?.node;
    if (!node) throw blocked('something that is not part of the snapshots is in its place');
    if (!isSameFile(node, stats)) throw blocked('it changed while files were being restored');
  };

  return {
    remove(path: RawPath): boolean {
      const directory = cursor.open(parentPath(path));
      const stats = statsOf(directory, baseName(path));
      if (!stats) return false;
      if (stats.isDirectory()) throw blocked('it became a directory while files were being restored');
      checkCaptured(path, stats);
      unlinkSync(directory.at(baseName(path)));
      return true;
    },

    /** A directory that still holds something, ignored files for example, stays without a word. */
    removeDirectory(path: RawPath): boolean {
      try {
        cursor.close();
        rmdirSync(cursor.open(parentPath(path)).at(baseName(path)));
        return true;
      } catch (error) {
        if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EBUSY'].includes(systemCode(error) ?? '')) return false;
        throw error;
      }
    },

    makeDirectory(path: RawPath): boolean {
      const directory = cursor.open(parentPath(path));
      const stats = statsOf(directory, baseName(path));
      if (stats?.isDirectory()) return false;
      if (stats) throw blocked('something that is not part of the snapshots is in its place');
      mkdirSync(directory.at(baseName(path)), { mode: 0o755 });
      return true;
    },

    async write(path: RawPath, file: SnapshotFile, before: SnapshotFile | undefined): Promise<boolean> {
      const content = await source.content(file.oid);
      const directory = cursor.open(parentPath(path));
      const name = baseName(path);
      const stats = statsOf(directory, name);
      if (stats?.isDirectory())
        throw blocked('a directory with files that are not part of the snapshots is in its place');
      if (stats && !before && holdsAlready(directory, name, { file, stats })) return false;
      if (stats) checkCaptured(path, stats);
      replace(directory, name, { file, content, stats });
      return true;
    },

    changeMode(path: RawPath, mode: number): boolean {
      const directory = cursor.open(parentPath(path));
      const fd = openSync(
        directory.at(baseName(path)),
        constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      );
      try {
        if ((fstatSync(fd).mode & 0o777) === mode) return false;
        fchmodSync(fd, mode);
        return true;
      } finally {
        closeSync(fd);
      }
    },
  };
}

/** An ignored file that is what the snapshot wants needs neither a change nor a warning. */
function holdsAlready(
  directory: OpenDirectory,
  name: RawPath,
  { file, stats }: { file: SnapshotFile; stats: Stats },
): boolean {
  if (file.kind === 'link')
    return (
      stats.isSymbolicLink() && objectId('blob', readlinkSync(directory.at(name), { encoding: 'buffer' })) === file.oid
    );
  const read = stats.isFile() ? readFileIn(directory, name, largestFile) : undefined;
  return read !== undefined && objectId('blob', read.content) === file.oid;
}

/** Whoever reads the file meanwhile sees the old content or the new. */
function replace(
  directory: OpenDirectory,
  name: RawPath,
  { file, content, stats }: { file: SnapshotFile; content: Buffer; stats: Stats | undefined },
): void {
  const temporary = directory.at(`.service-restore-${randomBytes(8).toString('hex')}.tmp`);
  try {
    if (file.kind === 'link') symlinkSync(toFsPath(content.toString('latin1')), temporary);
    else writeTemporary(temporary, { file, content, stats });
    renameSync(temporary, directory.at(name));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function writeTemporary(
  path: string | Buffer,
  { file, content, stats }: { file: SnapshotFile; content: Buffer; stats: Stats | undefined },
): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const fd = openSync(path, flags, 0o600);
  try {
    writeFileSync(fd, content);
    if (stats && (stats.uid !== process.getuid?.() || stats.gid !== process.getgid?.())) keepOwner(fd, stats);
    fchmodSync(fd, file.mode);
  } finally {
    closeSync(fd);
  }
}

/** Only a privileged service can give a file away; elsewhere it becomes the service's, like any new file. */
function keepOwner(fd: number, stats: Stats): void {
  try {
    fchownSync(fd, stats.uid, stats.gid);
  } catch {
    return;
  }
}
