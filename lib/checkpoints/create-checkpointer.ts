import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Clock, Undo } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { settledWithin } from '../base/time-limits.ts';
import type { Config } from '../config/config.ts';
import type { Checkpoint } from '../wire/checkpoint.ts';
import { ServiceError } from '../wire/errors.ts';
import type { IdSource } from '../wire/ids.ts';
import { createCaptureBatches } from './capture-batches.ts';
import type { Checkpointer, CheckpointSession } from './checkpointer.ts';
import { createDisabledCheckpointer } from './disabled-checkpointer.ts';
import type { ArgumentOf, OperationName, ResultOf, Target } from './protocol.ts';
import { findOrphans, findUnfinished, readIndexFiles } from './read-index.ts';
import { type RecordIndex, toCheckpoint } from './record-index.ts';
import { isRefusal } from './refusal.ts';
import { createWorkerLane } from './worker-lane.ts';
import { createWritableDirectory } from './writable-directory.ts';

export interface CheckpointerOptions {
  config: { checkpoints: Config['checkpoints']; storage: Pick<Config['storage'], 'durability'> };
  /** Where the repositories lie; outside of what they capture, because it is one of the own paths by itself. */
  directory: string;
  /** Absolute paths of the service's own files, never captured nor touched; a segment `*` is any name. */
  ownPaths: readonly string[];
  clock: Clock;
  log: Logger;
  newId: IdSource;
  /** The built checkpoint worker. */
  workerUrl: URL;
  /** How long an operation may be silent before its worker is replaced. Default 30 s. */
  silenceMs?: number;
  /** How long a stop waits for the operation in hand and for what the worker has put off. Default 2 s. */
  endWaitMs?: number;
  /** How long after the last operation unreachable objects are collected. Default 2 s. */
  idleMs?: number;
}

const labelChars = 200;
/** How long a stop waits for captures that wait for their turn. */
const lastTurnsMs = 500;

/**
 * Checkpoints by git repositories outside the workspaces, one per tenant and directory, written in a worker thread by the
 * bundled git library: no git program runs, and nothing of a workspace or its own repository is executed or changed.
 */
export function createCheckpointer(options: CheckpointerOptions): Checkpointer {
  const { config, directory, clock, log, newId, workerUrl, silenceMs = 30_000, endWaitMs, idleMs = 2_000 } = options;
  if (config.checkpoints.enabled === false) return createDisabledCheckpointer('checkpoints.enabled is false');
  const { maxFiles, exclude } = config.checkpoints;
  const durable = config.storage.durability === 'full';
  const settings = { maxFiles, exclude, durable, ownPaths: [...options.ownPaths, directory] };
  const lane = createWorkerLane({ workerUrl, settings, clock, log, silenceMs, endWaitMs });
  /** The operations that each session waits for, for those who read the index only. */
  const inFlight = new Map<string, Promise<unknown>>();
  let running = 0;
  const whyUnwritable = createWritableDirectory(directory, clock);
  /** Why the last snapshot of a repository was refused. */
  const refusals = new Map<string, string>();
  /** Repositories with objects to collect. */
  const unswept = new Map<string, Target>();
  let cancelSweep: Undo = () => {};
  const captures = createCaptureBatches((session, take) => attempt('capture', writableTarget(session), take), clock);

  async function targetOf({ tenantId, workspace }: CheckpointSession): Promise<Target> {
    const real = await realpath(workspace).catch(() => resolve(workspace));
    const name = createHash('sha256').update(`${tenantId}\0${real}`).digest('hex').slice(0, 40);
    return { repository: join(directory, `${name}.git`), workspace: real, tenantId };
  }

  async function run<Name extends OperationName>(
    name: Name,
    target: Promise<Target>,
    argument: () => ArgumentOf<Name>,
  ): Promise<ResultOf<Name>> {
    cancelSweep();
    running += 1;
    try {
      return await lane.run(name, target, argument);
    } finally {
      running -= 1;
      planSweep();
    }
  }

  /** The operation for somebody who waits for its result. */
  function operate<Name extends OperationName>(
    name: Name,
    session: CheckpointSession,
    argument: ArgumentOf<Name>,
  ): Promise<ResultOf<Name>> {
    captures.seal();
    return noted(
      session,
      attempt(name, writableTarget(session), () => argument),
    );
  }

  function capture(
    session: CheckpointSession,
    { label, ...message }: { label: string; messageId?: string },
  ): Promise<Checkpoint> {
    const shortLabel = [...label].slice(0, labelChars).join('');
    const checkpoint = { id: newId('chk'), label: shortLabel, sessionId: session.id, ...message, at: clock.now() };
    return noted(session, captures.add(session, checkpoint));
  }

  /** Noted in the tick of the call: a list that is asked for right after it must wait. */
  function noted<T>(session: CheckpointSession, done: Promise<T>): Promise<T> {
    const settled = Promise.allSettled([inFlight.get(session.id), done]).then(() => {
      if (inFlight.get(session.id) === settled) inFlight.delete(session.id);
    });
    inFlight.set(session.id, settled);
    return done;
  }

  async function attempt<Name extends OperationName>(
    name: Name,
    target: Promise<Target>,
    argument: () => ArgumentOf<Name>,
  ): Promise<ResultOf<Name>> {
    try {
      const result = await run(name, target, argument);
      refusals.delete((await target).repository);
      return result;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (error.unknown) throw new ServiceError('not_found', error.message);
      refusals.set((await target).repository, error.message);
      throw new ServiceError('checkpoints_unavailable', error.message);
    }
  }

  async function writableTarget(session: CheckpointSession): Promise<Target> {
    const unwritable = await whyUnwritable();
    if (unwritable) throw new ServiceError('checkpoints_unavailable', unwritable);
    return targetOf(session);
  }

  function sweepLater(target: Target): void {
    unswept.set(target.repository, target);
    planSweep();
  }

  function planSweep(): void {
    if (running > 0 || unswept.size === 0) return;
    cancelSweep();
    cancelSweep = clock.after(idleMs, sweep);
  }

  function sweep(): void {
    for (const [repository, target] of unswept) {
      unswept.delete(repository);
      run('sweep', Promise.resolve(target), () => undefined).catch((error: unknown) =>
        log.warn('Checkpoints: objects of deleted sessions could not be collected.', { error: String(error) }),
      );
    }
  }

  async function readIndex(session: CheckpointSession, target: Target): Promise<RecordIndex | undefined> {
    captures.hurry();
    await inFlight.get(session.id);
    const index = await readIndexFiles(target.repository);
    if (index?.sweep && !unswept.has(target.repository)) sweepLater(target);
    return index;
  }

  return {
    async list(session) {
      const unwritable = await whyUnwritable();
      if (unwritable) return { enabled: false, reason: unwritable, checkpoints: [] };
      const target = await targetOf(session);
      let index: RecordIndex | undefined;
      try {
        index = await readIndex(session, target);
      } catch (error) {
        log.error('Checkpoints: an index is damaged.', { repository: target.repository, error: String(error) });
        const reason = 'The index of the checkpoints of this workspace is damaged; the log names it.';
        return { enabled: false, reason, checkpoints: [] };
      }
      const own = (index?.records ?? []).filter((record) => record.sessionId === session.id);
      const reason = refusals.get(target.repository);
      return {
        enabled: true,
        ...(reason === undefined ? {} : { reason }),
        checkpoints: own.map(toCheckpoint).reverse(),
        usage: { bytes: index?.bytes ?? 0 },
      };
    },

    capture(session, label) {
      const taken = capture(session, { label });
      captures.hurry();
      return taken;
    },

    captureBefore: (session, { id, label }) => ({
      taken: capture(session, { label, messageId: id }),
      hurry: captures.hurry,
    }),

    restore(session, checkpointId) {
      const safety = { id: newId('chk'), at: clock.now() };
      return operate('restore', session, { sessionId: session.id, checkpointId, safety });
    },

    preview: (session, checkpointId) => operate('preview', session, { sessionId: session.id, checkpointId }),

    diff: (session, checkpointId, against) =>
      operate('diff', session, { sessionId: session.id, checkpointId, ...(against === undefined ? {} : { against }) }),

    async ofMessage(session, messageId) {
      const index = await readIndex(session, await targetOf(session));
      const record = index?.records.findLast((each) => each.sessionId === session.id && each.messageId === messageId);
      return record && toCheckpoint(record);
    },

    async forget(session) {
      const target = await targetOf(session);
      const index = await readIndex(session, target);
      if (!index?.records.some((record) => record.sessionId !== session.id)) refusals.delete(target.repository);
      if (!index?.records.some((record) => record.sessionId === session.id)) return;
      const { sweep: needed } = await run('forget', Promise.resolve(target), () => session.id);
      if (needed) sweepLater(target);
    },

    async forgetUnknown(isKnown) {
      for (const { target, sessionIds } of await findOrphans(directory, isKnown))
        for (const id of sessionIds) {
          const { sweep: needed } = await run('forget', Promise.resolve(target), () => id);
          if (needed) sweepLater(target);
        }
    },

    async tidy() {
      for (const repository of await findUnfinished(directory))
        await run('tidy', Promise.resolve({ repository, workspace: '', tenantId: '' }), () => undefined);
    },

    async close() {
      cancelSweep();
      captures.seal();
      await settledWithin(clock, lastTurnsMs, Promise.all(inFlight.values()));
      await lane.close();
    },
  };
}
