import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientConfig } from 'pg';
import type { Database, Row, Statement } from '../../lib/store/sql/database.ts';
import { eventually } from '../helpers/within.ts';

export const binaries = '/usr/lib/postgresql/15/bin';

export interface PostgresServer {
  createDatabase(name: string): Promise<void>;
  connection(database: string): ClientConfig;
  kill(): void;
}

/** A server of its own in a temporary directory, reached by a Unix socket. PostgreSQL refuses to run as root. */
export async function startPostgres(): Promise<PostgresServer> {
  const parent = mkdtempSync(join(tmpdir(), 'postgres-'));
  const data = join(parent, 'data');
  mkdirSync(data);
  const account = process.getuid?.() === 0 ? nobody() : undefined;
  if (account) for (const path of [parent, data]) chownSync(path, account.uid, account.gid);
  const as = { ...account, cwd: parent };
  const settings = ['-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-locale', '--no-sync'];
  execFileSync(join(binaries, 'initdb'), ['-D', data, ...settings], { ...as, stdio: 'ignore' });
  const child = spawn(join(binaries, 'postgres'), ['-D', data, '-k', parent, '-h', '', '-c', 'fsync=off'], {
    ...as,
    stdio: 'ignore',
  });
  const connection = (database: string): ClientConfig => ({ host: parent, user: 'postgres', database });
  const run = async (sql: string): Promise<void> => {
    const client = new Client(connection('postgres'));
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await eventually(
    20_000,
    () =>
      run('SELECT 1').then(
        () => true,
        () => false,
      ),
    'the PostgreSQL server',
  );
  child.unref();
  return {
    createDatabase: (name) => run(`CREATE DATABASE ${name}`),
    connection,
    kill() {
      child.kill('SIGKILL');
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

/** The SQL store's database over a connection to a server. */
export function postgresDatabase(config: ClientConfig): Database {
  const client = new Client(config);
  let opened: Promise<unknown> | undefined;
  let closed: Promise<void> | undefined;
  const run = async ({ sql, values = [] }: Statement): Promise<Row[]> => {
    const { rows } = await client.query<Row>(sql, [...values]);
    return rows;
  };
  let tail: Promise<unknown> = Promise.resolve();
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const task = tail.then(work);
    tail = task.catch(() => undefined);
    return task;
  };
  return {
    async open() {
      opened ??= client.connect();
      await opened;
    },
    query: (statement) => inOrder(() => run(statement)),
    transaction: (statements) =>
      inOrder(async () => {
        await client.query('BEGIN');
        try {
          const rows: Row[][] = [];
          for (const statement of statements) rows.push(await run(statement));
          await client.query('COMMIT');
          return rows;
        } catch (error) {
          await client.query('ROLLBACK');
          throw error;
        }
      }),
    close: () => (closed ??= client.end()),
  };
}

function nobody(): { uid: number; gid: number } {
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
