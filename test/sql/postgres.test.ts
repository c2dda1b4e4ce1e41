import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../lib/base/clock.ts';
import { createDiskCare } from '../../lib/store/disk-care.ts';
import { systemFiles } from '../../lib/store/file-port.ts';
import { createImageFiles } from '../../lib/store/image-files.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { createSqlStore } from '../../lib/store/sql/sql-store.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { silent } from '../store/file-rig.ts';
import { sessionStoreContract } from '../store/session-store-contract.ts';
import { binaries, postgresDatabase, startPostgres } from './postgres-server.ts';

const server = existsSync(`${binaries}/initdb`) ? await startPostgres() : undefined;

if (server) {
  process.on('exit', () => server.kill());
  sessionStoreContract('PostgreSQL 15', async () => {
    const [name, directory] = [`test_${randomBytes(6).toString('hex')}`, tempDirectory()];
    await server.createDatabase(name);
    const open = (): SessionStore =>
      createSqlStore({
        database: postgresDatabase(server.connection(name)),
        images: createImageFiles(systemFiles, directory),
        lock: async () => ({ release: async () => undefined }),
        durable: true,
        room: { forBatch: async () => true, forCopy: async () => true },
        care: createDiskCare({ files: systemFiles, root: directory, reserveBytes: 0, clock: systemClock, log: silent }),
        clock: systemClock,
        log: silent,
      });
    let store = open();
    return {
      store,
      async reopen() {
        await store.close();
        store = open();
        return store;
      },
      dispose: () => store.close(),
    };
  });
} else {
  console.log(`SKIPPED the SQL driver on a PostgreSQL server: there is none in ${binaries}`);
  const test = suite('the SQL driver on a PostgreSQL server');
  test('needs a server', () => assert.is(server, undefined));
  test.run();
}
