import type { Random } from '../../helpers/random.ts';
import { commitScripted } from '../../store/scripted-changes.ts';
import { type CrashState, crashStates } from '../disk/crash-states.ts';
import { type DiskImage, emptyImage, fingerprint } from '../disk/disk-image.ts';
import { createMemoryDisk } from '../disk/memory-disk.ts';
import { createPlatter } from '../disk/platter.ts';
import type { History } from './history.ts';
import { type Boot, boot, inspect, revisionsOf } from './inspect.ts';
import type { Expected, Standing } from './ledger.ts';

export interface Counts {
  acknowledged: number;
  states: number;
  again: number;
  histories: number;
  lost: number;
  violations: string[];
}

export interface CutOptions {
  /** States per cut. */
  most: number;
  /** One cut in so many is looked at. */
  every: number;
  random: Random;
  counts: Counts;
  goesOn(): boolean;
}

/** Cuts the power after every operation of a history, recovers from what that may leave, and cuts it again meanwhile. Ends at the first violation. */
export async function cutEverywhere(
  history: History,
  { most, every, random, counts, goesOn }: CutOptions,
): Promise<void> {
  const platter = createPlatter(emptyImage());
  const expectedAt = history.ledger.reader();
  const seen = new Set<string>();
  for (const [index, operation] of history.trace.entries()) {
    platter.advance(operation);
    if (!random.once(every)) continue;
    const expected = expectedAt(index + 1);
    const wanted = JSON.stringify([...expected.sessions]);
    for (const state of crashStates(platter, { most, random })) {
      if (counts.states > 0 && !goesOn()) return;
      const key = `${fingerprint(state.image)} ${wanted}`;
      if (seen.has(key)) continue;
      seen.add(key);
      counts.states += 1;
      const { lost, problems } = await recoverFrom(state, { history, expected, random, counts });
      counts.lost += lost;
      const where = `operation ${index} of history ${counts.histories}, with ${state.fates}`;
      counts.violations.push(...problems.map((problem) => `${problem} (cut after ${where})`));
      // One example of each history will do: its neighbours show the same.
      if (problems.length > 0) return;
    }
  }
}

interface RecoverOptions {
  history: History;
  expected: Expected;
  random: Random;
  counts: Counts;
}

async function recoverFrom(
  { image }: CrashState,
  { history: { segmentBytes }, expected, random, counts }: RecoverOptions,
): Promise<{ lost: number; problems: string[] }> {
  const disk = createMemoryDisk({ image });
  let recovered: Boot;
  try {
    recovered = await boot(disk, segmentBytes);
  } catch (error) {
    return { lost: 0, problems: [`it does not open: ${error instanceof Error ? error.stack : error}`] };
  }
  const result = await inspect(recovered, expected);
  if (result.problems.length > 0) return result;
  counts.again += 1;
  const problems = await crashDuringRecovery(image, recovered, { segmentBytes, random });
  if (problems.length === 0 && random.once(10))
    problems.push(...(await crashAfterwards(image, recovered, { segmentBytes, expected, random })));
  return { lost: 0, problems };
}

/** What was recovered goes on: every session takes another change, and a further power cut leaves them as they are. */
async function crashAfterwards(
  image: DiskImage,
  recovered: Boot,
  { segmentBytes, expected, random }: { segmentBytes: number; expected: Expected; random: Random },
): Promise<string[]> {
  const { store, disk, opened, clock } = recovered;
  const sessions = new Map<string, Standing>();
  for (const { id, tenantId, revision } of opened.sessions) {
    await commitScripted(store, id, revision + 1, tenantId);
    sessions.set(id, { tenantId, acknowledged: revision + 1, issued: revision + 1, deletion: 'none' });
  }
  clock.advance(random.below(5_000));
  if (random.once(2)) await store.flush();
  const platter = createPlatter(image);
  for (const operation of disk.trace) platter.advance(operation);
  for (const state of crashStates(platter, { most: 3, random })) {
    const found = await inspect(await boot(createMemoryDisk({ image: state.image }), segmentBytes), {
      ...expected,
      sessions,
    });
    if (found.problems.length > 0) return found.problems.map((problem) => `${problem} after going on (${state.fates})`);
  }
  return [];
}

/** A second power cut while the first one is being recovered from changes nothing of what recovery arrives at. */
async function crashDuringRecovery(
  image: DiskImage,
  first: Boot,
  { segmentBytes, random }: { segmentBytes: number; random: Random },
): Promise<string[]> {
  const platter = createPlatter(image);
  const stop = random.below(first.disk.trace.length + 1);
  for (const operation of first.disk.trace.slice(0, stop)) platter.advance(operation);
  const states = [...crashStates(platter, { most: 8, random })];
  const state = states[random.below(states.length)];
  if (!state) return [];
  const second = await boot(createMemoryDisk({ image: state.image }), segmentBytes);
  const [before, after] = [revisionsOf(first.opened), revisionsOf(second.opened)];
  const same = before.size === after.size && [...before].every(([id, revision]) => after.get(id) === revision);
  if (same) return [];
  return [`a crash after operation ${stop} of the recovery (${state.fates}) changes what it arrives at`];
}
