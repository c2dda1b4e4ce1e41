import type { Random } from '../../helpers/random.ts';
import type { MemoryDiskOptions } from '../disk/memory-disk.ts';

/** A process that dies at a certain operation of its disk: from then on nothing it awaits comes back. */
export interface Mortality extends Required<Pick<MemoryDiskOptions, 'pause' | 'before' | 'after'>> {
  readonly dead: boolean;
  /** The end, now. */
  die(): void;
  /** The promise, or undefined when death comes first. */
  orDeath<T>(promise: Promise<T>): Promise<T | undefined>;
}

export function createMortality(random: Random, dieAt: number): Mortality {
  let dead = false;
  let tell = (): void => undefined;
  const death = new Promise<undefined>((resolve) => {
    tell = () => resolve(undefined);
  });
  return {
    get dead() {
      return dead;
    },
    die,
    orDeath: (promise) => Promise.race([promise, death]),
    async pause() {
      for (let turns = random.below(3); turns > 0; turns--) await turn();
      if (dead) await new Promise(() => undefined);
    },
    before() {
      if (dead) throw new Error('The process is dead.');
    },
    after(count) {
      if (count >= dieAt) die();
    },
  };

  /** The step that is under way goes on to its next wait, as it would before a signal arrives. */
  function die(): void {
    dead = true;
    void turn().then(tell);
  }
}

export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
