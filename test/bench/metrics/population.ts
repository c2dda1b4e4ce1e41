import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchClient } from '../bench-client.ts';
import type { Metric, Row } from '../metric.ts';
import { median } from '../stats.ts';
import type { Running } from '../target.ts';

const rows: Row[] = [
  { id: 'rss1k', label: 'RSS with 1,000 sessions', unit: 'MiB', good: 'low', must: 1.4, stretch: 1.2 },
  { id: 'list1k', label: 'list 1,000 sessions, p50', unit: 'ms', good: 'low', must: 1.2, stretch: 0.5 },
  {
    id: 'again1k',
    label: 'restart with 1,000 to first full list',
    unit: 'ms',
    good: 'low',
    must: 2.5,
    stretch: 1.8,
    yardstick: { row: 'healthy' },
  },
  {
    id: 'again1kOwn',
    label: '- beside a cold start of its own, without sessions',
    unit: 'ms',
    good: 'low',
    yardstick: { target: 'ours', row: 'healthy' },
  },
  { id: 'rss10k', label: 'RSS with 10,000 sessions', unit: 'MiB', good: 'low' },
  { id: 'list10k', label: 'list 10,000 sessions, p50', unit: 'ms', good: 'low', must: 20, stretch: 5, of: 'value' },
  {
    id: 'again10k',
    label: 'restart with 10,000 to first full list',
    unit: 'ms',
    good: 'low',
    must: 700,
    stretch: 400,
    of: 'value',
  },
  { id: 'againRss', label: '- RSS then', unit: 'MiB', good: 'low', must: 120, stretch: 90, of: 'value' },
];

/** Many sessions: what they weigh, how fast they are listed, how fast they are back. On a process of its own. */
export const population: Metric = {
  rows,
  longestMs: 300_000,
  async measure({ target, directory, scale }) {
    const home = join(directory, 'population');
    const values: Record<string, number> = {};
    let running = await target.start(home);
    let count = 0;
    for (const [name, size] of [
      ['1k', 1_000],
      ['10k', scale.pick(10_000, 0)],
    ] as const) {
      if (size === 0) continue;
      await createUpTo(running.client, { from: count, to: size });
      count = size;
      await sleep(500);
      values[`rss${name}`] = running.rssMiB();
      values[`list${name}`] = await listing(running, size);
      if (target.forgets) continue;
      await sleep(500);
      const times: number[] = [];
      for (let at = 0; at < scale.pick(4, 2); at++) {
        await running.stop();
        running = await target.start(home);
        await list(running.client, size);
        times.push(performance.now() - running.spawnedAt);
      }
      values[`again${name}`] = median(times);
      if (name === '1k') values.again1kOwn = median(times);
      if (name === '10k') values.againRss = running.rssMiB();
    }
    await running.stop();
    return values;
  },
};

export async function createUpTo(client: BenchClient, { from, to }: { from: number; to: number }): Promise<void> {
  let made = from;
  const worker = async () => {
    while (made < to) {
      made++;
      await client.createSession();
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
}

async function listing(running: Running, size: number): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < 20; at++) {
    const before = performance.now();
    await list(running.client, size);
    times.push(performance.now() - before);
  }
  return median(times);
}

/** Checks the length by the text: parsing would cost the client more than the list costs the server. */
async function list(client: BenchClient, size: number): Promise<void> {
  const { status, text } = await client.request('GET', client.dialect.listPath);
  const found = text.split(client.dialect.listMark).length - 1;
  if (status !== 200 || found !== size)
    throw new Error(`the list answered ${status} with ${found} of ${size} sessions`);
}
