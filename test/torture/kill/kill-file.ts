import { appendFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRandom, type Random } from '../../helpers/random.ts';
import { tempDirectory } from '../../helpers/temp-directory.ts';
import { within } from '../../helpers/within.ts';
import { failpoints } from './failpoints.ts';
import { live } from './life.ts';
import { newOutcome, type Outcome, type RigOptions } from './outcome.ts';
import { createTold } from './told.ts';

export interface FileOutcome extends Outcome {
  /** The failpoints at which a process was killed. */
  reached: ReadonlySet<string>;
  /** Those that a process met and the list does not name. */
  unknown: ReadonlySet<string>;
}

interface Rig {
  outcome: Outcome;
  /** How often a process was killed at a failpoint, and how often that was tried. */
  kills: Map<string, number>;
  tries: Map<string, number>;
  /** The failpoints that some lane tries right now. */
  underway: Set<string>;
  unknown: Set<string>;
  goesOn(): boolean;
}

/** Directories that live and die beside each other: most of a life is waiting. */
const lanes = 4;

/**
 * How long a process may take to come to a failpoint at which none was killed yet, and how often that is tried. Far more than
 * a busy machine needs: it comes to each of them by what it always does.
 */
const patienceMs = 30_000;
const mostTries = 3;

/**
 * Kills processes that commit to the file driver: right before a system call, the failpoint that had the fewest kills so
 * far first; every fourth one at a random moment. What only recovery from a power cut or a kill does is given a torn write
 * or a left-over file to do it with. `everyFailpoint`: `goesOn` is not asked before each had a kill, or three vain tries.
 */
export async function killFile({
  seed,
  goesOn,
  everyFailpoint = false,
}: RigOptions & { everyFailpoint?: boolean }): Promise<FileOutcome> {
  const [outcome, kills, tries] = [newOutcome(), new Map<string, number>(), new Map<string, number>()];
  const isMissing = (name: string): boolean => !kills.get(name) && (tries.get(name) ?? 0) < mostTries;
  const rig: Rig = {
    ...{ outcome, kills, tries, underway: new Set(), unknown: new Set() },
    goesOn: () => (everyFailpoint && failpoints.some(isMissing)) || goesOn(outcome.cycles),
  };
  for (const failpoint of failpoints) kills.set(failpoint, 0);
  await Promise.all(Array.from({ length: lanes }, (_, lane) => killAgainAndAgain(createRandom(seed + lane), rig)));
  const reached = new Set([...rig.kills].filter(([, count]) => count > 0).map(([name]) => name));
  return { ...rig.outcome, reached, unknown: rig.unknown };
}

/** One directory after the other, each for ten lives: what has grown large makes every life slower and shows nothing new. */
async function killAgainAndAgain(random: Random, rig: Rig): Promise<void> {
  const { outcome } = rig;
  while (rig.goesOn() && outcome.violations.length < 20) {
    const directory = tempDirectory();
    const told = createTold();
    for (let lives = 10; lives >= 0; lives--) {
      // The last life is for looking only.
      const failpoint = lives === 0 || random.once(4) ? undefined : leastKilled(rig, random, await hasLog(directory));
      if (failpoint === 'truncateSync log' || random.once(8)) await tearTail(directory, random);
      if (failpoint === 'remove index.json')
        await writeFile(join(directory, 'index.json.tmp'), '{"lsn":').catch(() => undefined);
      const isFirst = failpoint !== undefined && rig.kills.get(failpoint) === 0;
      const nth = failpoint && (isFirst ? 1 : 1 + random.below(20));
      const afterOpen = lives === 0 ? 0 : nth === undefined ? random.below(150) : isFirst ? patienceMs : 300;
      if (failpoint) rig.underway.add(failpoint);
      const life = await within(120_000, live(['file', directory, `${failpoint} ${nth}`], { afterOpen }), 'a life');
      if (failpoint) rig.underway.delete(failpoint);
      if (isFirst) rig.tries.set(failpoint, (rig.tries.get(failpoint) ?? 0) + 1);
      const { lost, problems } = told.compare(life.output);
      outcome.lost += lost;
      outcome.violations.push(...problems.map((problem) => `kill ${outcome.cycles}: ${problem}`));
      told.learn(life.output);
      noteCalls(life.output, rig);
      if (life.byItself && failpoint) rig.kills.set(failpoint, (rig.kills.get(failpoint) ?? 0) + 1);
      if (lives > 0) outcome.cycles += 1;
      if (lives > 1 && !rig.goesOn()) lives = 1;
    }
    outcome.acknowledged += told.count;
    await rm(directory, { recursive: true });
  }
}

/** The failpoint that had the fewest kills, of those that can come here; the lanes take different ones. */
function leastKilled({ kills, underway }: Rig, random: Random, hasPast: boolean): string | undefined {
  const possible = [...kills].filter(([name]) => !underway.has(name) && (hasPast || name !== 'truncateSync log'));
  const fewest = Math.min(...possible.map(([, count]) => count));
  const candidates = possible.filter(([, count]) => count === fewest);
  return candidates[random.below(candidates.length)]?.[0];
}

/** Without one there is no end of it to be torn. */
async function hasLog(directory: string): Promise<boolean> {
  const names = await readdir(join(directory, 'log')).catch(() => []);
  return names.some((name) => name.endsWith('.log'));
}

function noteCalls(output: string, { unknown }: Rig): void {
  const known: readonly string[] = failpoints;
  for (const [, name = ''] of output.matchAll(/^called (.+)$/gm)) if (!known.includes(name)) unknown.add(name);
}

/** The beginning of a record, never acknowledged, as the last thing in the log. */
async function tearTail(directory: string, random: Random): Promise<void> {
  const names = await readdir(join(directory, 'log')).catch(() => []);
  const last = names
    .filter((name) => name.endsWith('.log'))
    .sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))[0];
  const torn = '0badc0de {"lsn":4711,"durable":4710,"tenant":"default","session":"';
  if (last) await appendFile(join(directory, 'log', last), torn.slice(0, 1 + random.below(torn.length)));
}
