import { createRandom } from '../../helpers/random.ts';
import { loopDisk, type ScratchDisk } from '../../sql/scratch-disk.ts';
import { live } from './life.ts';
import { newOutcome, type Outcome, type RigOptions } from './outcome.ts';
import { createTold } from './told.ts';

/** Why this machine does not let us cut the power of a disk; undefined when it does. */
export function noPowerCuts(): string | undefined {
  try {
    loopDisk(16).dispose();
    return undefined;
  } catch (error) {
    return `this machine does not let us mount (${String(error).split('\n')[0]})`;
  }
}

/** Cuts the power under a process that commits, again and again, on one disk, and looks what is there. */
export async function cutPower(words: string[], { seed, goesOn }: RigOptions): Promise<Outcome> {
  const random = createRandom(seed);
  const disk = loopDisk(400);
  const told = createTold();
  const outcome = newOutcome();
  try {
    for (let last = false; !last && outcome.violations.length === 0; ) {
      last = outcome.cycles > 0 && !goesOn(outcome.cycles);
      const { output, opened } = await lifeUntilCut(disk, words, 300 + random.below(900));
      const { lost, problems } = told.compare(output);
      outcome.lost += lost;
      outcome.violations.push(...problems.map((problem) => `cut ${outcome.cycles}: ${problem}`));
      if (!opened) outcome.violations.push(`cut ${outcome.cycles}: it does not open`);
      told.learn(output);
      outcome.cycles += 1;
    }
  } finally {
    disk.dispose();
  }
  return { ...outcome, acknowledged: told.count };
}

async function lifeUntilCut(disk: ScratchDisk, [driver = '', ...options]: string[], afterOpen: number) {
  const life = await live([driver, `${disk.directory}/data`, ...options], { afterOpen, cut: disk.cut });
  disk.remount();
  return life;
}
