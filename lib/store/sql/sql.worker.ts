import { parentPort, workerData } from 'node:worker_threads';
import { PGlite, type PGliteInterface, type Transaction } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { messageOf } from '../../base/caught.ts';
import { prepareCluster } from './cluster.ts';
import type { Row, Statement } from './database.ts';
import { DurableFiles } from './durable-files.ts';
import type { WorkerReply, WorkerRequest, WorkerSettings } from './protocol.ts';
import { startParameters } from './server-settings.ts';
import { verifyDurability } from './verify-durability.ts';

// The thread that the embedded database runs in: it computes without yielding, and would block the service's loop.

const settings: WorkerSettings = workerData;
const reply = (message: WorkerReply): void => parentPort?.postMessage(message);

try {
  prepareCluster(settings.directory, settings.seed);
  const database = await openDatabase();
  let tail: Promise<void> = Promise.resolve();
  parentPort?.on('message', (request: WorkerRequest) => {
    tail = tail.then(() => serve(database, request));
  });
  reply({ type: 'ready' });
} catch (error) {
  const final = error instanceof Error && 'exitCode' in error;
  reply({ type: 'refused', reason: messageOf(error), final });
  parentPort?.close();
}

async function openDatabase(): Promise<PGlite> {
  const { directory, durable } = settings;
  const files = new DurableFiles(directory, (code) => reply({ type: 'fault', code }));
  const database = await PGlite.create({
    fs: durable ? files : new NodeFS(directory),
    startParams: startParameters(durable),
  });
  if (durable) await verifyDurability(database, files);
  return database;
}

async function serve(database: PGlite, request: WorkerRequest): Promise<void> {
  const { id } = request;
  try {
    if (request.type === 'query') {
      reply({ type: 'done', id, rows: [await run(database, request.statement)] });
    } else if (request.type === 'transaction') {
      reply({ type: 'done', id, rows: await runTogether(database, request.statements) });
    } else {
      await database.close();
      reply({ type: 'done', id, rows: [] });
      parentPort?.close();
    }
  } catch (error) {
    fail(id, error);
  }
}

/** All or nothing. A single statement is a transaction without being told. */
async function runTogether(database: PGlite, statements: readonly Statement[]): Promise<Row[][]> {
  const [only] = statements;
  if (only && statements.length === 1) return [await run(database, only)];
  return database.transaction(async (transaction) => {
    const results: Row[][] = [];
    for (const statement of statements) results.push(await run(transaction, statement));
    return results;
  });
}

async function run(on: PGliteInterface | Transaction, { sql, values = [] }: Statement): Promise<Row[]> {
  return (await on.query<Row>(sql, [...values])).rows;
}

/** What PostgreSQL reports as an error leaves it intact. Anything else (a panic, an abort) does not. */
function fail(id: number, error: unknown): void {
  const reason = messageOf(error);
  const reported = error instanceof Error && 'severity' in error && error.severity === 'ERROR' && 'code' in error;
  if (reported) {
    reply({ type: 'failed', id, reason, code: String(error.code) });
    return;
  }
  reply({ type: 'lost', reason });
  parentPort?.close();
}
