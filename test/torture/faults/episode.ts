import { createRandom } from '../../helpers/random.ts';
import { type Call, type Operation, watchedFiles } from '../../store/faulty-files.ts';
import { type Boot, boot, inspect } from '../crash/inspect.ts';
import { turn } from '../crash/mortality.ts';
import { crashStates } from '../disk/crash-states.ts';
import { type DiskImage, emptyImage, filesIn } from '../disk/disk-image.ts';
import { createMemoryDisk, type MemoryDisk } from '../disk/memory-disk.ts';
import { createPlatter } from '../disk/platter.ts';
import { type AcknowledgedSessions, createAcknowledgedSessions } from './acknowledged-sessions.ts';
import { hits, type Strike, strikeAt } from './strike.ts';

export interface EpisodeResult {
  /** What the store called while the disk was bad. */
  calls: Operation[];
  acknowledged: number;
  lost: number;
  problems: string[];
}

const segmentBytes = 900;

/**
 * The same two lives of a store each time, the first one killed, with some system calls failing. Then the disk is well
 * again: without a restart everything must go on, and what was acknowledged, and only that, must be there; also after
 * another kill and after a power cut. One thing is allowed: a change that was refused, and that the disk did not let the
 * store take back either, may be there after a kill.
 */
export async function episode(strike: Strike | undefined): Promise<EpisodeResult> {
  const result: EpisodeResult = { calls: [], acknowledged: 0, lost: 0, problems: [] };
  const sessions = createAcknowledgedSessions();
  let ill = true;
  let disk = spoilt(createMemoryDisk());
  await firstLife(await start(), sessions);
  // A kill: what was not synced is still in the system's memory.
  disk = spoilt(createMemoryDisk({ image: disk.image, trace: disk.trace }));
  const running = await start();
  ill = false;
  if (strike && result.calls.some((operation, index) => operation === 'truncateSync' && hits(strike, index + 1)))
    sessions.adopt(running.opened.sessions);
  await look('after a kill', running);
  ill = true;
  await secondLife(running, sessions);
  ill = false;
  await noting('the disk is well again', () => goOn(running, sessions));
  result.acknowledged = sessions.count;
  for (const [when, image] of [['killed', disk.image] as const, ...powerCuts(disk)])
    await noting(when, async () => look(when, await boot(createMemoryDisk({ image }), segmentBytes)));
  return result;

  function spoilt(fresh: MemoryDisk): MemoryDisk {
    const interfere = (call: Call): 'short' | undefined => {
      if (!ill) return undefined;
      const count = result.calls.push(call.operation);
      return strike && strikeAt(strike, { ...call, count });
    };
    return { ...fresh, files: watchedFiles(interfere, fresh.files) };
  }

  /** A start that fails changes nothing: the next one, with the disk well, finds everything. */
  async function start(): Promise<Boot> {
    try {
      return await boot(disk, segmentBytes);
    } catch {
      ill = false;
      const again = await boot(disk, segmentBytes);
      ill = true;
      return again;
    }
  }

  async function look(when: string, found: Boot): Promise<void> {
    const { lost, problems } = await inspect(found, sessions.expected());
    result.lost += lost;
    const real = problems.filter((problem) => !problem.startsWith('The index was damaged (EIO'));
    result.problems.push(...real.map((problem) => `${when}: ${problem}`));
  }

  async function noting(when: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      result.problems.push(`${when}: ${error instanceof Error ? error.message : error}`);
    }
  }
}

async function firstLife({ store, clock }: Boot, sessions: AcknowledgedSessions): Promise<void> {
  await Promise.all([sessions.change(store, 'ses_kept'), sessions.change(store, 'ses_other', 'acme')]);
  for (let round = 0; round < 4; round++)
    await Promise.all([sessions.change(store, 'ses_kept'), sessions.change(store, 'ses_other')]);
  await pass(800);
  await sessions.change(store, 'ses_gone');
  await sessions.change(store, 'ses_gone');
  await sessions.mark(store);
  await store.flush().catch(() => undefined);
  await sessions.change(store, 'ses_kept');
  await sessions.remove(store, 'ses_gone');
  await pass(60);
  await sessions.change(store, 'ses_fresh');
  await sessions.change(store, 'ses_fresh');
  await pass(800);

  async function pass(ms: number): Promise<void> {
    clock.advance(ms);
    for (let turns = 0; turns < 12; turns++) await turn();
  }
}

async function secondLife({ store, clock }: Boot, sessions: AcknowledgedSessions): Promise<void> {
  await sessions.change(store, 'ses_kept');
  await sessions.remove(store, 'ses_other');
  await sessions.mark(store);
  await sessions.change(store, 'ses_fresh');
  clock.advance(4_000);
  for (let turns = 0; turns < 12; turns++) await turn();
  await store.flush().catch(() => undefined);
  await sessions.change(store, 'ses_kept');
}

async function goOn({ store, disk }: Boot, sessions: AcknowledgedSessions): Promise<void> {
  for (const id of [...sessions.living(), 'ses_late'])
    if (!(await sessions.change(store, id))) throw new Error(`${id} can not be changed`);
  const missing = await sessions.missing(store);
  if (missing.length > 0) throw new Error(missing.join('; '));
  await store.flush();
  for (const [path, bytes] of filesIn(disk.image))
    for (const id of sessions.deleted())
      if (bytes.includes(`"${id} `)) throw new Error(`${path} still holds what was said in ${id}`);
}

/** Some of what a power cut may leave now, the worst of it among them. */
function* powerCuts(disk: MemoryDisk): Generator<[string, DiskImage]> {
  const platter = createPlatter(emptyImage());
  for (const operation of disk.trace) platter.advance(operation);
  for (const { image, fates } of crashStates(platter, { most: 5, random: createRandom(1) }))
    yield [`after a power cut (${fates})`, image];
}
