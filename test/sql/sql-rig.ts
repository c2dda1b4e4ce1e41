import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemClock } from '../../lib/base/clock.ts';
import { packageRoot } from '../../lib/base/package-root.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import type { Database } from '../../lib/store/sql/database.ts';
import { createEmbeddedSqlStore, type EmbeddedSqlStoreOptions } from '../../lib/store/sql/open-sql-store.ts';
import { createPgliteDatabase } from '../../lib/store/sql/pglite-database.ts';
import { silent } from '../store/file-rig.ts';

const built = join(packageRoot(), 'dist/lib/store/sql');

export const seed = join(built, 'seed.gz');

export function sqlStore(directory: string, options: Partial<EmbeddedSqlStoreOptions> = {}): SessionStore {
  return createEmbeddedSqlStore({ directory, durability: 'full', clock: systemClock, log: silent, ...options });
}

/** The database of a store that is closed. */
export function embeddedDatabase(directory: string, { statementMs = 30_000 } = {}): Database {
  return createPgliteDatabase({
    directory: join(directory, 'service.db/postgres'),
    seed,
    workerUrl: pathToFileURL(join(built, 'sql.worker.js')),
    durable: true,
    clock: systemClock,
    log: silent,
    statementMs,
  });
}
