import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Clock, Undo } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { settledWithin } from '../base/time-limits.ts';
import {
  type ArgumentOf,
  closeRequest,
  type OperationName,
  type ResultOf,
  type Target,
  type WorkerReply,
  type WorkerRequest,
  type WorkerSettings,
  type WorkerStart,
} from './protocol.ts';
import { CheckpointRefusal } from './refusal.ts';

export interface WorkerLaneOptions {
  workerUrl: URL;
  settings: WorkerSettings;
  clock: Clock;
  log: Logger;
  /** An operation may be silent this long: 30 s unless a test says otherwise. Large trees report as they go. */
  silenceMs: number;
  /**
   * How long `close` waits for the operation that runs, and for what the worker has put off: what git shows, which the next
   * start makes up for. Then it is told to stop. Default 2 s.
   */
  endWaitMs?: number | undefined;
}

/**
 * Runs operations in the worker, strictly one after another, in the order of their calls. The place in the queue is taken
 * by the call, though its target may take a moment to be found; when that fails, so does the operation. The argument is
 * asked for when its turn has come.
 */
export interface WorkerLane {
  run<Name extends OperationName>(
    name: Name,
    target: Promise<Target>,
    argument: () => ArgumentOf<Name>,
  ): Promise<ResultOf<Name>>;
  /** Waits for the operation that runs and for what the worker has put off, but not for long; refuses those that wait. */
  close(): Promise<void>;
}

/** Ten times what a snapshot needs: whatever takes more is out of hand, and ends alone. */
const heapMb = 256;
const heapMbPerFile = 0.005;

const defaultEndWaitMs = 2_000;
/** How long a worker has to find out that it is to stop, and then again to be ended. One that hangs in the kernel may never end. */
const stopMs = 3_000;

interface Working {
  thread: Worker;
  stop: Int32Array;
}

/**
 * The worker starts with the first operation. When it dies or falls silent it is replaced: the operation in hand is
 * refused with a reason, the next ones go on, the service never notices.
 */
export function createWorkerLane(options: WorkerLaneOptions): WorkerLane {
  const { workerUrl, settings, clock, log, silenceMs, endWaitMs = defaultEndWaitMs } = options;
  let worker: Working | undefined;
  let tail: Promise<unknown> = Promise.resolve();
  /** The end of a worker that was given up: its successor waits, so that two never write one repository. */
  let ending: Promise<unknown> = Promise.resolve();
  let nextId = 1;
  let closed = false;

  function start(): Working {
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const workerData: WorkerStart = { ...settings, stop };
    const thread = new Worker(workerUrl, {
      workerData,
      name: 'checkpoints',
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(heapMb + settings.maxFiles * heapMbPerFile) },
    });
    thread.unref();
    const started = { thread, stop };
    const gone = (): void => {
      if (worker === started) worker = undefined;
    };
    // With a listener, its death is not ours.
    thread.on('error', gone);
    thread.once('exit', gone);
    thread.on('message', (message: WorkerReply) => {
      if (message.type !== 'warning') return;
      log.warn('Checkpoints: branches and commits could not be written for git; they will be.', {
        detail: message.detail,
      });
    });
    return started;
  }

  /**
   * Asks a worker to stop where it is, and terminates it only when it does not: Node 20 aborts the whole process when that
   * meets a thread at a bad moment (between the making of a zlib stream and its first use, for one).
   */
  async function stopNow(working: Working): Promise<void> {
    Atomics.store(working.stop, 0, 1);
    if (!(await endsWithin(stopMs, working))) await settledWithin(clock, stopMs, working.thread.terminate());
  }

  /** Tells a worker that nothing follows; true when it has ended in time. */
  function endsWithin(ms: number, { thread }: Working): Promise<boolean> {
    const ended = once(thread, 'exit');
    thread.postMessage(closeRequest);
    return settledWithin(clock, ms, ended);
  }

  function execute(request: WorkerRequest): Promise<unknown> {
    worker ??= start();
    const working = worker;
    const active = working.thread;
    // Referenced while it works, so that a process that waits for nothing else does not end under it.
    active.ref();
    let disarm: Undo = () => {};
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        disarm();
        active.off('message', onMessage).off('exit', onExit).off('error', onError);
        active.unref();
        finish();
      };
      const fail = (what: string, detail: string): void => {
        log.error(`Checkpoints: ${what}`, { operation: request.name, workspace: request.target.workspace, detail });
        settle(() => reject(new CheckpointRefusal(what)));
      };
      const arm = (): void => {
        disarm();
        disarm = clock.after(silenceMs, () => {
          worker = undefined;
          ending = stopNow(working);
          fail(`The operation was given up after ${Math.round(silenceMs / 1000)} s without progress.`, 'silent');
        });
      };
      const onMessage = (message: WorkerReply): void => {
        if (message.id !== request.id) return;
        if (message.type === 'progress') arm();
        else if (message.type === 'done') settle(() => resolve(message.value));
        else if (message.type === 'refused')
          settle(() => reject(new CheckpointRefusal(message.reason, { unknown: message.unknown })));
        else if (message.type === 'failed') fail(message.reason, message.detail);
      };
      const onExit = (code: number): void =>
        fail('The checkpoint worker ended in the middle of its work.', `exit code ${code}`);
      const onError = (error: Error): void => fail('The checkpoint worker crashed.', error.stack ?? error.message);
      active.on('message', onMessage).on('exit', onExit).on('error', onError);
      arm();
      active.postMessage(request);
    });
  }

  return {
    run(name, target, argument) {
      const id = nextId++;
      const done = tail.then(async () => {
        await ending;
        if (closed) throw new CheckpointRefusal('The service is stopping.');
        return execute({ id, name, target: await target, argument: argument() });
      });
      // Looked at when its turn comes; until then nobody else would.
      target.catch(() => undefined);
      tail = done.catch(() => undefined);
      return done as Promise<ResultOf<typeof name>>;
    },
    async close() {
      closed = true;
      const isIdle = await settledWithin(clock, endWaitMs, tail);
      if (!worker) return;
      const last = worker;
      last.thread.ref();
      if (!isIdle || !(await endsWithin(endWaitMs, last))) await stopNow(last);
    },
  };
}
