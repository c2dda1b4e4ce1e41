import { cutPower, noPowerCuts } from '../kill/power-cut.ts';
import type { Trial } from '../trial.ts';

export const powerCutTrials: readonly Trial[] = ['file', 'sql'].map((driver) => ({
  name: `power-cut-${driver}`,
  cycle: `an ext4 that loses what was not synced, under a process on the ${driver} driver`,
  async run({ ms, seed }) {
    const skipped = noPowerCuts();
    if (skipped !== undefined) return { cycles: 0, acknowledged: 0, lost: 0, violations: [], skipped };
    const ends = performance.now() + ms;
    return cutPower([driver], { seed, goesOn: () => performance.now() < ends });
  },
}));
