import type { Clock } from '../base/clock.ts';
import type { Checkpoint } from '../wire/checkpoint.ts';
import type { CheckpointSession } from './checkpointer.ts';
import type { NewCheckpoint } from './repository.ts';

/**
 * Captures of one workspace are taken together: they gather for a moment, or until somebody waits for one of them, and
 * while the worker is busy. One walk shows all of them a state that is no older than their calls, so a hundred messages
 * at once cost one walk and not a hundred.
 */
export interface CaptureBatches {
  /** Joins the captures of the same workspace that wait. */
  add(session: CheckpointSession, checkpoint: NewCheckpoint): Promise<Checkpoint>;
  /** Puts what gathers into the queue of the worker; until its turn more may join. */
  hurry(): void;
  /** The same, and nothing more joins: another operation will stand behind it. */
  seal(): void;
}

/** How long captures gather. A message's first tool comes later than that, unless its model is faster than any today. */
const gatherMs = 20;

interface Batch {
  checkpoints: NewCheckpoint[];
  taken: Promise<readonly Checkpoint[]>;
  /** Idempotent. */
  start(): void;
}

/** `capture` queues the operation in the tick of its call; it calls `take` when its turn has come. */
export function createCaptureBatches(
  capture: (session: CheckpointSession, take: () => NewCheckpoint[]) => Promise<readonly Checkpoint[]>,
  clock: Pick<Clock, 'after'>,
): CaptureBatches {
  const waiting = new Map<string, Batch>();

  function open(key: string, session: CheckpointSession): Batch {
    const checkpoints: NewCheckpoint[] = [];
    const leave = (): void => {
      if (waiting.get(key) === batch) waiting.delete(key);
    };
    const take = (): NewCheckpoint[] => {
      leave();
      return checkpoints;
    };
    let started = false;
    let queued: (taken: Promise<readonly Checkpoint[]>) => void = () => undefined;
    const taken = new Promise<readonly Checkpoint[]>((resolve) => {
      queued = resolve;
    });
    const start = (): void => {
      if (started) return;
      started = true;
      cancelStart();
      queued(capture(session, take).finally(leave));
    };
    const cancelStart = clock.after(gatherMs, start);
    const batch: Batch = { checkpoints, taken, start };
    waiting.set(key, batch);
    return batch;
  }

  function hurry(): void {
    for (const batch of waiting.values()) batch.start();
  }

  return {
    async add(session, checkpoint) {
      const key = `${session.tenantId}\0${session.workspace}`;
      const batch = waiting.get(key) ?? open(key, session);
      batch.checkpoints.push(checkpoint);
      const made = (await batch.taken).find(({ id }) => id === checkpoint.id);
      if (!made) throw new Error(`The checkpoint ${checkpoint.id} was not made.`);
      return made;
    },
    hurry,
    seal() {
      hurry();
      waiting.clear();
    },
  };
}
