import type { Trial } from './trial.ts';
import { bitRotTrial } from './trials/bit-rot.ts';
import { crashStatesTrial } from './trials/crash-states.ts';
import { diskFaultsTrial } from './trials/disk-faults.ts';
import { interleavings } from './trials/interleavings.ts';
import { killFileTrial } from './trials/kill-file.ts';
import { killSqlTrial } from './trials/kill-sql.ts';
import { powerCutTrials } from './trials/power-cut.ts';
import { providerChaos } from './trials/provider-chaos.ts';
import { slowClients } from './trials/slow-clients.ts';
import { soak } from './trials/soak.ts';
import { stateMachine } from './trials/state-machine.ts';

/** A trial and its share of the time. */
export interface Weighted {
  trial: Trial;
  weight: number;
  /** The test that runs a slice of it already. */
  test?: string;
}

export const catalogue: readonly Weighted[] = [
  { trial: crashStatesTrial, weight: 3 },
  { trial: diskFaultsTrial, weight: 1, test: 'test/torture/disk-faults.test.ts' },
  { trial: bitRotTrial, weight: 1 },
  { trial: killFileTrial, weight: 2, test: 'test/store/kill.test.ts' },
  { trial: killSqlTrial, weight: 2, test: 'test/sql/kill.test.ts' },
  ...powerCutTrials.map((trial) => ({ trial, weight: 1, test: 'test/sql/power-cut.test.ts' })),
  { trial: providerChaos, weight: 2 },
  { trial: slowClients, weight: 1 },
  { trial: soak, weight: 2 },
  { trial: stateMachine, weight: 4 },
  { trial: interleavings, weight: 3, test: 'test/torture/interleavings.test.ts' },
];

/** What is left when only those are wanted whose names contain one of some words (`kill,power`), each with its share of `ms`. */
export function shareTime(
  trials: readonly Weighted[],
  { ms, only = '' }: { ms: number; only?: string },
): { trial: Trial; ms: number }[] {
  const words = only.split(',');
  const chosen = trials.filter(({ trial }) => words.some((word) => trial.name.includes(word)));
  const total = chosen.reduce((sum, { weight }) => sum + weight, 0);
  return chosen.map(({ trial, weight }) => ({ trial, ms: (ms * weight) / total }));
}
