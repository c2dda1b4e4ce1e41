import { createRandom } from '../../helpers/random.ts';
import { type Counts, cutEverywhere } from '../crash/cut-everywhere.ts';
import { makeHistory } from '../crash/history.ts';
import type { Trial, TrialResult } from '../trial.ts';

/** See `crashStates` and `createPlatter` for what a power cut may do here. */
export const crashStatesTrial: Trial = {
  name: 'crash-states',
  cycle: 'a disk that a power cut may leave, recovered and read',
  async run({ ms, seed, note }): Promise<TrialResult> {
    const ends = performance.now() + ms;
    const random = createRandom(seed);
    const counts: Counts = { acknowledged: 0, states: 0, again: 0, histories: 0, lost: 0, violations: [] };
    const goesOn = (): boolean => performance.now() < ends && counts.violations.length < 20;
    while (counts.histories === 0 || goesOn()) {
      const isShort = counts.histories % 2 === 0;
      const history = await makeHistory({ seed: random.seed(), length: isShort ? 120 : 700 });
      counts.histories += 1;
      counts.acknowledged += history.ledger.count;
      counts.violations.push(...history.problems);
      const most = isShort && ms > 60_000 ? 1_024 : 16;
      await cutEverywhere(history, { most, every: isShort ? 1 : 3, random, counts, goesOn });
      if (counts.histories % 20 === 0) note(`${counts.histories} histories, ${counts.states} states`);
    }
    const { acknowledged, states, again, histories, lost, violations } = counts;
    const figures = { histories: String(histories), 'crashes in recovery': String(again) };
    return { cycles: states, acknowledged, lost, violations, figures };
  },
};
