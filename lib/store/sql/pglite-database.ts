import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { settledWithin } from '../../base/time-limits.ts';
import { type Database, databaseLost, type Row } from './database.ts';
import { type Connection, connect, type Order } from './pglite-connection.ts';
import type { WorkerSettings } from './protocol.ts';

export interface PgliteDatabaseOptions extends WorkerSettings {
  workerUrl: URL;
  clock: Clock;
  log: Logger;
  /** A statement that takes longer is given up: 30 s unless a test says otherwise. */
  statementMs?: number;
  /** How long anybody waits for the end of a worker that was given up: 5 s unless a test says otherwise. */
  endMs?: number;
}

/**
 * PGlite in a worker thread. A worker that dies, breaks or stays silent is ended, and the next request opens the
 * database anew: requests that were under way fail as `DatabaseLost`. Two workers never have the directory at once.
 */
export function createPgliteDatabase(options: PgliteDatabaseOptions): Database {
  const { clock, log, workerUrl, directory, seed, durable, statementMs = 30_000, endMs = 5_000 } = options;
  let current: Promise<Connection> | undefined;
  /** The worker that lives, open or not yet. */
  let living: Connection | undefined;
  /** The end of the last worker: nobody is its successor before. */
  let ended: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;
  /** Said once, until it has been open again. A start that fails says so itself. */
  let isLost = true;

  return {
    open: async () => void (await connected()),
    transaction: (statements) => send({ type: 'transaction', statements }),
    query: async (statement) => (await send({ type: 'query', statement }))[0] ?? [],
    close: ({ now } = { now: false }) => (closing ??= close(now)),
  };

  async function send(order: Order): Promise<Row[][]> {
    if (closing) throw new Error('The database is closed.');
    const connection = await connected();
    return connection.send(order);
  }

  function connected(): Promise<Connection> {
    if (current) return current;
    const forget = (): void => {
      if (current === mine) current = undefined;
    };
    const mine = hasEnded().then(() => start(forget));
    mine.catch(forget);
    current = mine;
    return mine;
  }

  /** Throws when the last worker is still there: the caller is told, and the next one looks again. */
  async function hasEnded(): Promise<void> {
    if (!(await settledWithin(clock, endMs, ended)))
      throw databaseLost('The embedded database hangs in the system, and no other may open its directory meanwhile.');
  }

  async function start(forget: () => void): Promise<Connection> {
    if (closing) throw new Error('The database is closed.');
    const connection = connect({
      workerUrl,
      settings: { directory, seed, durable },
      clock,
      statementMs,
      onLost(why, busy) {
        if (busy && !closing && !isLost) log.error('The embedded database is started anew.', { why });
        isLost = true;
        forget();
      },
    });
    living = connection;
    ended = connection.ended;
    await connection.ready;
    isLost = false;
    return connection;
  }

  async function close(now: boolean): Promise<void> {
    if (now) living?.abandon();
    const connection = await current?.catch(() => undefined);
    if (!now) await connection?.send({ type: 'close' }).catch(() => undefined);
    await hasEnded();
  }
}
