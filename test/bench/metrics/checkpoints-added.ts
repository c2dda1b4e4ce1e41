import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { turn } from '../bench-client.ts';
import { makeTree } from '../checkpoint-tree.ts';
import type { Metric } from '../metric.ts';
import { median } from '../stats.ts';
import { type Running, settled } from '../target.ts';

const files = 500;

/** Two processes, turn about: a first delta with checkpoints against one without. A file changes before every turn. */
export const checkpointsAdded: Metric = {
  rows: [
    {
      id: 'cpAdded',
      label: 'checkpoints on: added to the first delta, p50',
      unit: 'ms',
      good: 'low',
      must: 1,
      stretch: 0.3,
      of: 'value',
    },
  ],
  targets: ['ours', 'sql'],
  async measure({ target, directory, scale }) {
    const begin = async (name: string): Promise<Running> => {
      const running = await target.start(join(directory, name), { environment: { SERVICE_CHECKPOINTS: name } });
      makeTree(join(running.directory, 'workspace'), files);
      return running;
    };
    const [withThem, without] = [await begin('true'), await begin('false')];
    const times: Record<'withThem' | 'without', number[]> = { withThem: [], without: [] };
    for (let at = 0; at < scale.pick(100, 40); at++) {
      times.withThem.push(await firstDelta(withThem, at));
      times.without.push(await firstDelta(without, at));
    }
    await settled(withThem);
    await Promise.all([withThem.stop(), without.stop()]);
    // The first turns load and capture everything.
    return { cpAdded: median(times.withThem.slice(5)) - median(times.without.slice(5)) };
  },
};

async function firstDelta({ client, directory }: Running, at: number): Promise<number> {
  writeFileSync(join(directory, 'workspace', 'changing.txt'), `${at}`);
  const sessionId = await client.createSession();
  const listener = await client.listen(sessionId);
  const { firstMs } = await turn(client, { sessionId, listener, content: 'stream 5' });
  listener.close();
  return firstMs;
}
