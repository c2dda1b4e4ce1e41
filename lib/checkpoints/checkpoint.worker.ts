import { parentPort, workerData } from 'node:worker_threads';
import { createOperations } from './operations.ts';
import type { WorkerReply, WorkerRequest, WorkerSettings } from './protocol.ts';
import { isRefusal } from './refusal.ts';

// The thread in which all file work of the checkpoints happens. Requests come one at a time.

const settings: WorkerSettings = workerData;
const reply = (message: WorkerReply): void => parentPort?.postMessage(message);

parentPort?.on('message', async ({ id, name, target, argument }: WorkerRequest) => {
  active.id = id;
  try {
    const operation: (on: typeof target, argument: never) => Promise<unknown> = operations[name];
    reply({ id, type: 'done', value: await operation(target, argument as never) });
  } catch (error) {
    if (isRefusal(error)) reply({ id, type: 'refused', reason: error.message, unknown: error.unknown });
    else reply({ id, type: 'failed', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
  operations.settle();
});

const active = { id: 0 };
const operations = createOperations(settings, () => reply({ id: active.id, type: 'progress' }));
