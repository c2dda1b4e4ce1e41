import { failpoints } from '../kill/failpoints.ts';
import { killFile } from '../kill/kill-file.ts';
import type { Trial } from '../trial.ts';

export const killFileTrial: Trial = {
  name: 'kill-file',
  cycle: 'a process on the file driver that ends by SIGKILL, at a failpoint or at random',
  async run({ ms, seed }) {
    const ends = performance.now() + ms;
    const { reached, unknown, ...outcome } = await killFile({ seed, goesOn: () => performance.now() < ends });
    const strange = [...unknown].map((name) => `The call ${name} has no failpoint.`);
    const figures = { failpoints: `${reached.size} of ${failpoints.length}` };
    return { ...outcome, violations: [...outcome.violations, ...strange], figures };
  },
};
