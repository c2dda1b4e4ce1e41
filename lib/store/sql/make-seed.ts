import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { packSeed } from './cluster.ts';
import type { Database, Row, Statement } from './database.ts';
import { migrate } from './migrations.ts';
import { startParameters } from './server-settings.ts';

// Run by the build: makes the file that new databases begin as, so that no start has to run initdb (5 s, 700 MB).
// usage: node make-seed.js <file>

const [, , target = ''] = process.argv;
const directory = mkdtempSync(join(tmpdir(), 'seed-'));
try {
  await makeDatabase(join(directory, 'pg'));
  writeFileSync(target, gzipSync(packSeed(join(directory, 'pg')), { level: constants.Z_BEST_COMPRESSION }));
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function makeDatabase(at: string): Promise<void> {
  const pglite = await PGlite.create({
    fs: new NodeFS(at),
    startParams: startParameters(false),
    initDbStartParams: ['--wal-segsize=1'],
  });
  await migrate(asDatabase(pglite));
  // The other two databases of a cluster are templates for more; without them it is 8 MB instead of 30.
  await pglite.exec("UPDATE pg_database SET datistemplate = false WHERE datname LIKE 'template_'");
  for (const name of ['template0', 'template1']) await pglite.exec(`DROP DATABASE ${name}`);
  await pglite.exec('VACUUM FULL');
  await pglite.exec('SELECT pg_switch_wal()');
  await pglite.exec('CHECKPOINT');
  await pglite.close();
}

function asDatabase(pglite: PGlite): Database {
  const query = async ({ sql, values = [] }: Statement): Promise<Row[]> =>
    (await pglite.query<Row>(sql, [...values])).rows;
  return {
    open: async () => undefined,
    close: async () => undefined,
    query,
    async transaction(statements) {
      const rows: Row[][] = [];
      for (const statement of statements) rows.push(await query(statement));
      return rows;
    },
  };
}
