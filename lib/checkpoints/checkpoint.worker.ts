import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createOperations } from './operations.ts';
import type { WorkerReply, WorkerRequest, WorkerSettings } from './protocol.ts';
import { isRefusal, systemCode } from './refusal.ts';

/** The thread in which all file work of the checkpoints happens. Requests come one at a time. */
function serve(port: MessagePort, settings: WorkerSettings): void {
  let active = 0;
  const reply = (message: WorkerReply): void => port.postMessage(message);
  const operations = createOperations(settings, () => reply({ id: active, type: 'progress' }));

  port.on('message', async ({ id, name, target, argument }: WorkerRequest) => {
    active = id;
    try {
      const operation: (on: typeof target, argument: never) => Promise<unknown> = operations[name];
      reply({ id, type: 'done', value: await operation(target, argument as never) });
    } catch (error) {
      if (isRefusal(error)) reply({ id, type: 'refused', reason: error.message, unknown: error.unknown });
      else {
        operations.close(target);
        reply({ id, type: 'failed', reason: reasonOf(error), detail: String((error as Error)?.stack ?? error) });
      }
    }
    operations.settle();
  });
}

function reasonOf(error: unknown): string {
  const code = systemCode(error);
  if (code === undefined) return 'The operation failed; the log of the service says more.';
  return `Files of the checkpoints could not be read or written (${code}); the log of the service says more.`;
}

if (parentPort) serve(parentPort, workerData);
