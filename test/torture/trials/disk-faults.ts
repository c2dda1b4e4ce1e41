import { createRandom } from '../../helpers/random.ts';
import { episode } from '../faults/episode.ts';
import { nameOf, strikesFor } from '../faults/strike.ts';
import type { Trial } from '../trial.ts';

/** Every call and every fault, in an order that the seed decides: little time covers some of each, enough covers all. */
export const diskFaultsTrial: Trial = {
  name: 'disk-faults',
  cycle: 'two lives of a store in which one system call, or four in a row, fail',
  async run({ ms, seed, note }) {
    const ends = performance.now() + ms;
    const random = createRandom(seed);
    const healthy = await episode(undefined);
    const violations = healthy.problems.map((problem) => `without any fault: ${problem}`);
    const strikes = strikesFor(healthy.calls)
      .map((strike) => ({ strike, order: random.next() }))
      .sort((a, b) => a.order - b.order);
    let [cycles, acknowledged, lost] = [0, 0, 0];
    for (const { strike } of strikes) {
      if (cycles > 0 && (performance.now() > ends || violations.length >= 20)) break;
      const result = await episode(strike);
      cycles += 1;
      acknowledged += result.acknowledged;
      lost += result.lost;
      violations.push(...result.problems.map((problem) => `${nameOf(strike)}: ${problem}`));
      if (cycles % 1_000 === 0) note(`${cycles} of ${strikes.length}`);
    }
    const figures = { 'system calls': String(healthy.calls.length), covered: `${cycles} of ${strikes.length}` };
    return { cycles, acknowledged, lost, violations, figures };
  },
};
