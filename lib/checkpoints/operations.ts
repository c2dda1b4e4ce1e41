import { rmSync } from 'node:fs';
import { systemCode } from '../base/caught.ts';
import { compareSnapshots, describeChanges } from './compare-snapshots.ts';
import { createIgnoreLevel } from './ignore-levels.ts';
import { nowhere, type ObjectBatch } from './object-batch.ts';
import { openRoot } from './open-directory.ts';
import { isOwn, type OwnRules, ownRulesBelow } from './own-rules.ts';
import type { Operations, Owned, Target, WorkerSettings } from './protocol.ts';
import { toText } from './raw-path.ts';
import { incomingPath, type StoredCheckpoint, toCheckpoint } from './record-index.ts';
import { CheckpointRefusal } from './refusal.ts';
import { openRepository, type Repository } from './repository.ts';
import { type LeftAlone, restoreFiles } from './restore-files.ts';
import { isEmptyPlan, planRestore, type RestorePlan, rulesOfSnapshot } from './restore-plan.ts';
import { extrasOf, snapshotOf } from './snapshot-extras.ts';
import type { Snapshot } from './snapshot-node.ts';
import { sweep } from './sweep.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { largestIgnoreFile } from './walk.ts';

export interface WorkerOperations extends Operations {
  /**
   * What nobody waits for: what git shows of the records, and the stat data of the last walk, go to disk. Rejects with the
   * first failure since the last time.
   */
  settle(): Promise<void>;
  /** True when `settle` has something to do. */
  unsettled(): boolean;
  /** Forgets what is in memory of a repository, because an operation failed half-way: the disk is right. */
  close(target: Target): void;
}

/** How many repositories stay open; each holds the stat data of its workspace (about 300 bytes per file). */
const openRepositories = 4;

/** The label of what is restored fits whole, also when that is a safety snapshot of a safety snapshot. */
const longestSafetyLabel = 1_000;

/** The operations as they run inside the worker: blocking, one at a time. `progress` says that an operation is alive; called at every step, it throws when it was given up. */
export function createOperations(settings: WorkerSettings, progress: () => void): WorkerOperations {
  const repositories = new Map<string, Repository>();
  const unsaved = new Set<Repository>();
  /** Why something that was put off could not be written. */
  const failures: unknown[] = [];
  const rules = createIgnoreLevel(settings.exclude);

  async function open({ repository: path, tenantId, workspace }: Target): Promise<Repository> {
    const known = repositories.get(path);
    repositories.delete(path);
    const repository =
      known ?? openRepository(path, { durable: settings.durable, identity: { tenantId, workspace }, progress });
    repositories.set(path, repository);
    for (const [oldest, idle] of [...repositories].slice(0, -openRepositories)) {
      await writePutOff(oldest, idle);
      repositories.delete(oldest);
    }
    return repository;
  }

  /**
   * A failure is the business of `settle`, not of whoever works in another repository. The records are right and on disk:
   * what git shows is made again from them when this one is opened next.
   */
  async function writePutOff(path: string, repository: Repository): Promise<void> {
    try {
      if (unsaved.delete(repository)) repository.saveStats();
      if (repository.view.behind) await repository.writeView();
    } catch (error) {
      repositories.delete(path);
      failures.push(error);
    }
  }

  /** The workspace as it is now; its objects go into `batch`. */
  function walkThrough({ lastWalk }: Repository, { workspace }: Target, batch: ObjectBatch) {
    const own = ownRulesBelow(workspace, settings.ownPaths);
    if (isOwn(own)) throw new CheckpointRefusal('The workspace belongs to the service itself.');
    const directory = openWorkspace(workspace);
    try {
      const options = { rules, own, maxFiles: settings.maxFiles, before: lastWalk, progress };
      const taken = takeSnapshot(directory, batch, options);
      return { ...taken, own, current: snapshotOf(taken.root, taken) };
    } finally {
      directory.close();
    }
  }

  /** With its objects stored and no commit. */
  function snapshot(repository: Repository, target: Target) {
    const taken = walkThrough(repository, target, repository.store.batch());
    repository.lastWalk = taken.root;
    repository.index.bytes += taken.newBytes;
    if (taken.read > 0) unsaved.add(repository);
    const { tree, files, current } = taken;
    return { ...taken, content: { tree, files, extras: extrasOf(current) } };
  }

  /** For an answer alone: leaves nothing behind, so the next walk does not know of it either. */
  const look = (repository: Repository, target: Target) => walkThrough(repository, target, nowhere);

  async function plan(repository: Repository, current: Snapshot, { target, own }: { target: Snapshot; own: OwnRules }) {
    const textOf = async (oid: string): Promise<string | undefined> => {
      const { content } = await repository.read(oid);
      return content.length <= largestIgnoreFile ? content.toString('utf8') : undefined;
    };
    return planRestore(current, target, { own, ignoredThen: await rulesOfSnapshot(target, rules, textOf) });
  }

  return {
    async capture(target, checkpoints) {
      const repository = await open(target);
      const { content } = snapshot(repository, target);
      return repository.commit(checkpoints, content).map(toCheckpoint);
    },

    async restore(target, request) {
      const repository = await open(target);
      const record = find(repository, request);
      const wanted = await repository.readSnapshot(record);
      const { current, own, content } = snapshot(repository, target);
      const steps = await plan(repository, current, { target: wanted, own });
      const restored = toCheckpoint(record);
      if (isEmptyPlan(steps)) return { restored, safety: null, warning: null };

      const label = [...`Before restoring "${record.label}"`].slice(0, longestSafetyLabel).join('');
      const taken = repository.commit([{ ...request.safety, label, sessionId: request.sessionId }], content);
      const outcome = await restoreFiles(target.workspace, steps, {
        captured: (path) => current.files.get(path),
        content: async (oid) => (await repository.read(oid)).content,
        progress,
      });
      const warning = warningOf(outcome.leftAlone);
      if (outcome.touched > 0) return { restored, safety: taken.map(toCheckpoint)[0] ?? null, warning };
      repository.undoCommit(taken);
      return { restored, safety: null, warning };
    },

    async preview(target, request) {
      const repository = await open(target);
      const record = find(repository, request);
      const wanted = await repository.readSnapshot(record);
      const { current, own } = look(repository, target);
      const steps = await plan(repository, current, { target: wanted, own });
      const after = applied(current, steps);
      const changes = await describeChanges(repository, compareSnapshots(current, after), {});
      return { checkpoint: toCheckpoint(record), ...changes };
    },

    async diff(target, request) {
      const repository = await open(target);
      const record = find(repository, request);
      const from = await repository.readSnapshot(record);
      const against =
        request.against === undefined ? undefined : find(repository, { ...request, checkpointId: request.against });
      const to = against ? await repository.readSnapshot(against) : look(repository, target).current;
      const changes = await describeChanges(repository, compareSnapshots(from, to), { patchesIn: target.workspace });
      return { checkpoint: toCheckpoint(record), against: against ? toCheckpoint(against) : null, ...changes };
    },

    async forget(target, sessionId) {
      const repository = await open(target);
      await repository.forget(sessionId);
      if (repository.index.records.length > 0) return { sweep: repository.index.sweep };
      repositories.delete(target.repository);
      unsaved.delete(repository);
      rmSync(target.repository, { recursive: true, force: true });
      return { sweep: false };
    },

    async tidy({ repository }) {
      // Operations come one after the other, and each leaves nothing there when it ends.
      rmSync(incomingPath(repository), { recursive: true, force: true });
    },

    async sweep(target) {
      const repository = await open(target);
      if (repository.index.sweep) await sweep(repository, progress);
    },

    close({ repository }) {
      const open = repositories.get(repository);
      if (open) unsaved.delete(open);
      repositories.delete(repository);
    },

    async settle() {
      for (const [path, repository] of repositories) await writePutOff(path, repository);
      const [first] = failures.splice(0);
      if (first !== undefined) throw first;
    },

    unsettled: () => failures.length + unsaved.size > 0 || [...repositories.values()].some(({ view }) => view.behind),
  };
}

function openWorkspace(path: string) {
  try {
    return openRoot(path);
  } catch (error) {
    throw new CheckpointRefusal(`The workspace directory can't be opened (${systemCode(error)}).`);
  }
}

function find({ index }: Repository, { sessionId, checkpointId }: Owned): StoredCheckpoint {
  const record = index.records.find(({ id }) => id === checkpointId);
  if (record?.sessionId !== sessionId)
    throw new CheckpointRefusal('There is no such checkpoint in this session.', { unknown: true });
  return record;
}

/** What the workspace would be after a plan. */
function applied(current: Snapshot, plan: RestorePlan): Snapshot {
  const files = new Map(current.files);
  for (const path of plan.remove) files.delete(path);
  for (const { path, file } of plan.write) files.set(path, file);
  for (const { path, mode } of plan.changeMode) {
    const file = files.get(path);
    if (file) files.set(path, { ...file, mode });
  }
  return { ...current, files };
}

function warningOf(leftAlone: readonly LeftAlone[]): string | null {
  if (leftAlone.length === 0) return null;
  const named = leftAlone.slice(0, 10).map(({ path, why }) => `${toText(path)} (${why})`);
  const more = leftAlone.length - named.length;
  return `Left alone: ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}
