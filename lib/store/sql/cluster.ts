import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The PostgreSQL major version inside the pinned PGlite; its data directories are not interchangeable. */
const postgresVersion = '18';

/** Names of files, relative, and the bytes of each; directories end in a slash. */
type SeedList = [path: string, bytes: number][];

/**
 * Sees to it that `directory` holds a database that this version can open. A new one begins as a copy of the seed, which
 * is whole and on disk before it takes its place. Call it only under the lock of the data directory. Blocks.
 * Throws an Error with `exitCode` 78 that says what to do when the database there is of another version.
 */
export function prepareCluster(directory: string, seed: string): void {
  const unfinished = `${directory}.new`;
  fs.rmSync(unfinished, { recursive: true, force: true });
  if (!fs.existsSync(directory)) {
    try {
      unpackSeed(seed, unfinished);
    } catch (error) {
      // On a full disk that is room for others.
      fs.rmSync(unfinished, { recursive: true, force: true });
      throw error;
    }
    fs.renameSync(unfinished, directory);
    syncPath(dirname(directory));
    return;
  }
  checkVersion(directory);
  // A power cut can leave this file empty, and PostgreSQL then refuses to start. Nobody else runs: we hold the lock.
  const pidFile = join(directory, 'postmaster.pid');
  if (fs.statSync(pidFile, { throwIfNoEntry: false })?.size === 0) fs.rmSync(pidFile);
}

function checkVersion(directory: string): void {
  const path = join(directory, 'PG_VERSION');
  const found = fs.existsSync(path) ? fs.readFileSync(path, 'utf8').trim() : undefined;
  if (found === postgresVersion) return;
  const what =
    found === undefined
      ? `${directory} is not a database of this service, or it is damaged. Restore a backup, or move it away to begin anew.`
      : `The database in ${directory} is of PostgreSQL ${found.slice(0, 20)}, this version needs ${postgresVersion}. ` +
        'Export it with the version that wrote it (agent-session-service export), move it away, and import the file here.';
  throw Object.assign(new Error(what), { exitCode: 78 });
}

/** The seed as bytes: a line with the list of files, then their contents, all compressed. Made by `make-seed.ts`. */
export function packSeed(directory: string): Buffer {
  const list: SeedList = [];
  const contents: Buffer[] = [];
  const visit = (relative: string): void => {
    for (const entry of fs.readdirSync(join(directory, relative), { withFileTypes: true })) {
      const path = join(relative, entry.name);
      if (entry.isDirectory()) {
        list.push([`${path}/`, 0]);
        visit(path);
        continue;
      }
      const content = fs.readFileSync(join(directory, path));
      list.push([path, content.length]);
      contents.push(content);
    }
  };
  visit('');
  return Buffer.concat([Buffer.from(`${JSON.stringify(list)}\n`), ...contents]);
}

function unpackSeed(seed: string, directory: string): void {
  const bytes = gunzipSync(fs.readFileSync(seed));
  const listEnd = bytes.indexOf('\n');
  const list: SeedList = JSON.parse(bytes.toString('utf8', 0, listEnd));
  const made = [directory];
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  let at = listEnd + 1;
  for (const [name, length] of list) {
    const path = join(directory, name);
    if (name.endsWith('/')) {
      fs.mkdirSync(path, { mode: 0o700 });
      made.push(path);
    } else {
      fs.writeFileSync(path, bytes.subarray(at, at + length), { mode: 0o600, flush: true });
      at += length;
    }
  }
  for (const path of made) syncPath(path);
}

function syncPath(path: string): void {
  const descriptor = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
