import { killSql } from '../kill/kill-sql.ts';
import type { Trial } from '../trial.ts';

export const killSqlTrial: Trial = {
  name: 'kill-sql',
  cycle: 'a process on the embedded database that ends by SIGKILL, also while it recovers',
  async run({ ms, seed }) {
    const ends = performance.now() + ms;
    const { checked, ...outcome } = await killSql({ seed, goesOn: () => performance.now() < ends });
    return { ...outcome, figures: { 'recoveries checked': String(checked) } };
  },
};
