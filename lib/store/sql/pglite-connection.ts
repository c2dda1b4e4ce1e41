import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/clock.ts';
import { databaseLost, type Row } from './database.ts';
import type { WorkerReply, WorkerRequest, WorkerSettings } from './protocol.ts';

export type Order = WorkerRequest extends infer Each ? (Each extends { id: number } ? Omit<Each, 'id'> : never) : never;

export interface ConnectionOptions {
  workerUrl: URL;
  settings: WorkerSettings;
  clock: Clock;
  /** A request that takes longer is given up, unless it says otherwise itself. */
  statementMs: number;
  /** Called once, when the connection is of no use any more; `busy` when requests were under way. */
  onLost: (why: string, busy: boolean) => void;
}

/** One life of the worker thread. */
export interface Connection {
  /** Resolves when the database is open. */
  ready: Promise<void>;
  send(order: Order): Promise<Row[][]>;
  /** Ends the thread at once; what is under way fails as lost. */
  abandon(): void;
  /** Resolves when the thread has ended: before that nobody else may open the directory. */
  ended: Promise<void>;
}

interface Waiting {
  resolve(rows: Row[][]): void;
  reject(error: Error): void;
  disarm(): void;
}

const opening = 0;
const openMs = 120_000;
/** After the system refused a write PostgreSQL may spin in its own error handling. */
const afterFaultMs = 1_500;

/** Starts a worker. It keeps the process alive while it has something to do, and while it ends. */
export function connect({ workerUrl, settings, clock, statementMs, onLost }: ConnectionOptions): Connection {
  const worker = new Worker(workerUrl, { workerData: settings, name: 'database', stdout: true, stderr: true });
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  let faulty = false;
  let over = false;
  let closing = false;

  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      giveUp('The embedded database ended.');
      resolve();
    });
  });
  worker.once('error', (error) => giveUp(error.message));
  worker.on('message', receive);
  worker.stdout.resume();
  worker.stderr.resume();
  const ready = new Promise<void>((resolve, reject) => {
    const disarm = clock.after(openMs, () => giveUp('The embedded database did not open in time.'));
    waiting.set(opening, { resolve: () => resolve(), reject, disarm });
  });
  return { ready, send, abandon: () => giveUp('The embedded database is closed.'), ended };

  function send(order: Order): Promise<Row[][]> {
    const id = nextId++;
    const limit = faulty ? afterFaultMs : limitOf(order, statementMs);
    return new Promise((resolve, reject) => {
      if (over) {
        reject(databaseLost('The embedded database is gone.'));
        return;
      }
      worker.ref();
      closing ||= order.type === 'close';
      const disarm = clock.after(limit, () => giveUp('A statement took too long and was given up.'));
      waiting.set(id, { resolve, reject, disarm });
      worker.postMessage({ ...order, id });
    });
  }

  function receive(reply: WorkerReply): void {
    if (reply.type === 'ready') settle(opening, (one) => one.resolve([]));
    else if (reply.type === 'done') settle(reply.id, (one) => one.resolve(reply.rows));
    else if (reply.type === 'failed')
      settle(reply.id, (one) => one.reject(Object.assign(new Error(reply.reason), { code: reply.code })));
    else if (reply.type === 'fault') expectTheWorst(reply.code);
    else if (reply.type === 'refused' && reply.final) {
      closing = true;
      settle(opening, (one) => one.reject(Object.assign(new Error(reply.reason), { exitCode: 78 })));
    } else giveUp(reply.reason);
  }

  function settle(id: number, how: (one: Waiting) => void): void {
    const one = waiting.get(id);
    if (!one) return;
    waiting.delete(id);
    one.disarm();
    if (waiting.size === 0 && !over && !closing) worker.unref();
    how(one);
  }

  function expectTheWorst(code: string): void {
    faulty = true;
    for (const one of waiting.values()) {
      one.disarm();
      one.disarm = clock.after(afterFaultMs, () => giveUp('The disk refused a write.', code));
    }
  }

  function giveUp(why: string, code?: string): void {
    if (over) return;
    over = true;
    onLost(why, waiting.size > 0);
    worker.ref();
    for (const id of [...waiting.keys()]) settle(id, (one) => one.reject(databaseLost(why, code)));
    void worker.terminate();
  }
}

/** A transaction may take as long as the longest of its statements. */
function limitOf(order: Order, usual: number): number {
  if (order.type === 'query') return order.statement.limitMs ?? usual;
  if (order.type === 'close') return usual;
  return Math.max(usual, ...order.statements.map(({ limitMs = 0 }) => limitMs));
}
