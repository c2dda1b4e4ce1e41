import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { systemCode } from '../base/caught.ts';
import { createOperations, type WorkerOperations } from './operations.ts';
import { closeRequest, type WorkerReply, type WorkerRequest, type WorkerStart } from './protocol.ts';
import { CheckpointRefusal, isRefusal } from './refusal.ts';

/** What was put off is done after so many milliseconds without a request, and no later than `latestMs` after it was. */
const quietMs = 500;
const latestMs = 5_000;
/** An operation that is alive says so no more often. */
const progressMs = 100;

/** The thread in which all file work of the checkpoints happens, one thing after the other. */
function serve(port: MessagePort, { stop, ...settings }: WorkerStart): void {
  let active = 0;
  let tail = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let unsettledSince = Number.POSITIVE_INFINITY;
  const reply = (message: WorkerReply): void => port.postMessage(message);
  let told = Number.NEGATIVE_INFINITY;
  const operations = createOperations(settings, () => {
    if (isStopped()) throw new CheckpointRefusal('The service is stopping.');
    const now = performance.now();
    if (now - told < progressMs) return;
    told = now;
    reply({ id: active, type: 'progress' });
  });
  const isStopped = (): boolean => Atomics.load(stop, 0) !== 0;
  const inTurn = (work: () => Promise<void>): void => {
    tail = tail.then(work);
  };

  async function settle(): Promise<void> {
    unsettledSince = Number.POSITIVE_INFINITY;
    try {
      await operations.settle();
    } catch (error) {
      reply({ id: 0, type: 'warning', detail: detailOf(error) });
    }
  }

  function settleLater(): void {
    clearTimeout(timer);
    if (!operations.unsettled()) return;
    unsettledSince = Math.min(unsettledSince, performance.now());
    const latest = Math.max(0, unsettledSince + latestMs - performance.now());
    timer = setTimeout(() => inTurn(settle), Math.min(quietMs, latest));
  }

  port.on('message', (request: WorkerRequest | typeof closeRequest) =>
    inTurn(async () => {
      if (request === closeRequest) {
        clearTimeout(timer);
        if (!isStopped()) await settle();
        port.close();
        return;
      }
      active = request.id;
      await answer(operations, request, reply);
      settleLater();
    }),
  );
}

async function answer(
  operations: WorkerOperations,
  { id, name, target, argument }: WorkerRequest,
  reply: (message: WorkerReply) => void,
): Promise<void> {
  try {
    const operation: (on: typeof target, argument: never) => Promise<unknown> = operations[name];
    reply({ id, type: 'done', value: await operation(target, argument as never) });
  } catch (error) {
    if (isRefusal(error)) reply({ id, type: 'refused', reason: error.message, unknown: error.unknown });
    else {
      operations.close(target);
      reply({ id, type: 'failed', reason: reasonOf(error), detail: detailOf(error) });
    }
  }
}

function detailOf(error: unknown): string {
  return String((error as Error)?.stack ?? error);
}

function reasonOf(error: unknown): string {
  const code = systemCode(error);
  if (code === undefined) return 'The operation failed; the log of the service says more.';
  return `Files of the checkpoints could not be read or written (${code}); the log of the service says more.`;
}

if (parentPort) serve(parentPort, workerData);
