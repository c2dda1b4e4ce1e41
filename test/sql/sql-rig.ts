import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemClock } from '../../lib/base/clock.ts';
import { packageRoot } from '../../lib/base/package-root.ts';
import { type DirectoryLock, lockDirectory } from '../../lib/store/directory-lock.ts';
import { createDiskCare } from '../../lib/store/disk-care.ts';
import { type FilePort, systemFiles } from '../../lib/store/file-port.ts';
import { createImageFiles } from '../../lib/store/image-files.ts';
import { ensureDirectory } from '../../lib/store/replace-file.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import type { Database } from '../../lib/store/sql/database.ts';
import { createEmbeddedSqlStore, type EmbeddedSqlStoreOptions } from '../../lib/store/sql/open-sql-store.ts';
import { createPgliteDatabase } from '../../lib/store/sql/pglite-database.ts';
import { createSqlStore } from '../../lib/store/sql/sql-store.ts';
import { silent } from '../store/file-rig.ts';

const built = join(packageRoot(), 'dist/lib/store/sql');

export const seed = join(built, 'seed.gz');

export function sqlStore(directory: string, options: Partial<EmbeddedSqlStoreOptions> = {}): SessionStore {
  return createEmbeddedSqlStore({ directory, durability: 'full', clock: systemClock, log: silent, ...options });
}

/** The database of a store that is closed. */
export function embeddedDatabase(directory: string, { statementMs = 30_000, durable = true } = {}): Database {
  return createPgliteDatabase({
    directory: join(directory, 'service.db/postgres'),
    seed,
    workerUrl: pathToFileURL(join(built, 'sql.worker.js')),
    durable,
    clock: systemClock,
    log: silent,
    statementMs,
  });
}

/** A store over a database that the test holds too. */
export function sqlStoreOn(
  database: Database,
  directory: string,
  { reserveBytes = 0, files = systemFiles }: { reserveBytes?: number; files?: FilePort } = {},
): SessionStore {
  const images = createImageFiles(systemFiles, join(directory, 'service.db'));
  const room = { forBatch: async () => true, forCopy: async () => true };
  const care = createDiskCare({
    files,
    root: directory,
    reserveBytes,
    clock: systemClock,
    log: silent,
  });
  return createSqlStore({
    database,
    images,
    durable: true,
    lock: () => lockStore(directory),
    room,
    care,
    clock: systemClock,
    log: silent,
  });
}

async function lockStore(directory: string): Promise<DirectoryLock> {
  const lock = await lockDirectory(directory);
  await ensureDirectory(systemFiles, directory, join(directory, 'service.db'));
  return lock;
}
