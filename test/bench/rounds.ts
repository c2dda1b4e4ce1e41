import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { within } from '../helpers/within.ts';
import type { Metric, Scale } from './metric.ts';
import type { Results } from './table.ts';
import { settled, type Target } from './target.ts';

/** A server that hangs costs this much and no more; the rest is measured on a new one. */
const longestMs = 60_000;

export interface RoundsOptions {
  targets: Target[];
  metrics: readonly Metric[];
  rounds: number;
  /** For the directories of the processes. */
  root: string;
  scale: Scale;
  /** Filled in; has an entry for every target. */
  results: Results;
}

/** Every target in every round, in turning order, so that what the machine does otherwise meets all of them. Resolves to how many metrics failed. */
export async function measureRounds({ targets, rounds, metrics, ...rest }: RoundsOptions): Promise<number> {
  let failures = 0;
  for (let round = 0; round < rounds; round++)
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      const chosen = metrics.filter(
        ({ once, targets: names, needsMemory }) =>
          !(once && round > 0) && (names?.includes(target.name) ?? true) && !(needsMemory && target.forgets),
      );
      if (chosen.length > 0) failures += await measureRound(target, { metrics: chosen, round, ...rest });
    }
  return failures;
}

async function measureRound(
  target: Target,
  { metrics, round, root, scale, results }: Omit<RoundsOptions, 'targets' | 'rounds'> & { round: number },
): Promise<number> {
  let failures = 0;
  const directory = join(root, `${target.name}-${round}`);
  const started = performance.now();
  let running = await target.start(join(directory, 'warm'));
  for (const metric of metrics) {
    const what = [...metric.rows, ...(metric.curves ?? [])][0];
    const label = `${target.name}, round ${round + 1}: ${what?.label}`;
    await settled(running);
    try {
      const measured = metric.measure({ target, running, directory, scale });
      for (const [id, value] of Object.entries(await within(metric.longestMs ?? longestMs, measured, label))) {
        const values = results.get(target.name);
        values?.set(id, [...(values.get(id) ?? []), value]);
      }
    } catch (error) {
      console.log(`FAILED ${label}: ${error instanceof Error ? error.message : String(error)}`);
      failures += 1;
      await target.abandon();
      running = await target.start(join(directory, `after-${what?.id}`));
    }
  }
  await settled(running);
  await running.stop();
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  // To stderr: the table alone goes to files and pipes.
  console.error(`${target.name}, round ${round + 1}: ${Math.round((performance.now() - started) / 1000)} s`);
  return failures;
}
