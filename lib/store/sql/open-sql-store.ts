import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemCode } from '../../base/caught.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { packageRoot } from '../../base/package-root.ts';
import { type Slots, unlimited } from '../../base/slots.ts';
import { boundedFiles } from '../bounded-files.ts';
import { lockDirectory } from '../directory-lock.ts';
import { createDiskCare } from '../disk-care.ts';
import { systemFiles } from '../file-port.ts';
import { createImageFiles } from '../image-files.ts';
import { ensureDirectory } from '../replace-file.ts';
import type { SessionStore } from '../session-store.ts';
import { layout } from '../store-paths.ts';
import { createPgliteDatabase } from './pglite-database.ts';
import { createRoom } from './room.ts';
import { createSqlStore } from './sql-store.ts';

export interface EmbeddedSqlStoreOptions {
  /** The data root; created if need be. */
  directory: string;
  /** `full`: a commit survives a power cut. `process`: it survives the end of this process only. */
  durability: 'full' | 'process';
  /** Size of `reserve.bin`, which is given back when the disk is full. Default 0: none. */
  reserveBytes?: number;
  clock: Clock;
  log: Logger;
  /** Bounds how many images are read or written at once. */
  slots?: Slots;
  /** A statement that takes longer is given up. */
  statementMs?: number;
}

/** The SQL driver: everything in `service.db/`, `postgres` being the database and `blobs` the images. */
export function createEmbeddedSqlStore(options: EmbeddedSqlStoreOptions): SessionStore {
  const { directory: root, durability, clock, log, statementMs, slots = unlimited } = options;
  const directory = join(root, layout.sql);
  const built = join(packageRoot(), 'dist/lib/store/sql');
  const database = createPgliteDatabase({
    directory: join(directory, 'postgres'),
    seed: join(built, 'seed.gz'),
    workerUrl: pathToFileURL(join(built, 'sql.worker.js')),
    durable: durability === 'full',
    clock,
    log,
    ...(statementMs !== undefined && { statementMs }),
  });
  return createSqlStore({
    database,
    images: createImageFiles(boundedFiles(systemFiles, slots), directory, slots),
    async lock() {
      const lock = await lockDirectory(root);
      try {
        await ensureDirectory(systemFiles, root, directory);
        return lock;
      } catch (error) {
        await lock.release();
        const why = `The directory of the database ${directory} cannot be made (${systemCode(error)}).`;
        throw Object.assign(new Error(why), { exitCode: 78 });
      }
    },
    durable: durability === 'full',
    room: createRoom(directory, clock),
    care: createDiskCare({ files: systemFiles, root, reserveBytes: options.reserveBytes ?? 0, clock, log }),
    clock,
    log,
  });
}
