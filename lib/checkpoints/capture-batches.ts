import type { Checkpoint } from '../wire/checkpoint.ts';
import type { CheckpointSession } from './checkpointer.ts';
import type { NewCheckpoint } from './repository.ts';

/**
 * Captures of one workspace that wait for the worker are taken together: one walk shows all of them a state that is no
 * older than their calls. A hundred messages at once cost one walk and not a hundred.
 */
export interface CaptureBatches {
  /** Joins the captures of the same workspace that still wait. */
  add(session: CheckpointSession, checkpoint: NewCheckpoint): Promise<Checkpoint>;
  /** Lets nothing more join: another operation stands in the queue behind what waits now. */
  seal(): void;
}

interface Batch {
  checkpoints: NewCheckpoint[];
  taken: Promise<readonly Checkpoint[]>;
}

/** `capture` queues the operation; it calls `take` when its turn has come. */
export function createCaptureBatches(
  capture: (session: CheckpointSession, take: () => NewCheckpoint[]) => Promise<readonly Checkpoint[]>,
): CaptureBatches {
  const waiting = new Map<string, Batch>();

  function open(key: string, session: CheckpointSession): Batch {
    const checkpoints: NewCheckpoint[] = [];
    const leave = (): void => {
      if (waiting.get(key)?.checkpoints === checkpoints) waiting.delete(key);
    };
    const taken = capture(session, () => {
      leave();
      return checkpoints;
    }).finally(leave);
    const batch = { checkpoints, taken };
    waiting.set(key, batch);
    return batch;
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
    seal: () => waiting.clear(),
  };
}
