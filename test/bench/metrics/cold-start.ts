import { join } from 'node:path';
import { turn } from '../bench-client.ts';
import type { Metric } from '../metric.ts';
import { median } from '../stats.ts';

/** From spawn on an empty directory to the first healthy answer, and to the first delta of a first turn. */
export const coldStart: Metric = {
  rows: [
    { id: 'healthy', label: 'cold start to healthy', unit: 'ms', good: 'low', must: 2.5, stretch: 1.5 },
    { id: 'coldDelta', label: 'cold start to first delta', unit: 'ms', good: 'low', must: 2.2, stretch: 1.6 },
    {
      id: 'later',
      label: 'later start to healthy (raw: a first one)',
      unit: 'ms',
      good: 'low',
      yardstick: { row: 'healthy' },
    },
    { id: 'rssIdle', label: 'RSS idle', unit: 'MiB', good: 'low', must: 1.6, stretch: 1.3 },
  ],
  async measure({ target, directory, scale }) {
    const starts: { healthy: number; coldDelta: number; rss: number }[] = [];
    for (let at = 0; at < scale.pick(4, 2); at++) {
      const running = await target.start(join(directory, `cold-${at}`));
      const rss = running.rssMiB();
      const sessionId = await running.client.createSession();
      const listener = await running.client.listen(sessionId);
      const before = performance.now() - running.spawnedAt;
      const { firstMs } = await turn(running.client, { sessionId, listener, content: 'stream 5' });
      await running.stop();
      starts.push({ healthy: running.startMs, coldDelta: before + firstMs, rss });
    }
    if (target.forgets) return values(starts);
    const again: number[] = [];
    for (let at = 0; at < starts.length; at++) {
      const running = await target.start(join(directory, `cold-${at}`));
      again.push(running.startMs);
      await running.stop();
    }
    return { ...values(starts), later: median(again) };
  },
};

function values(starts: { healthy: number; coldDelta: number; rss: number }[]): Record<string, number> {
  return {
    healthy: median(starts.map(({ healthy }) => healthy)),
    coldDelta: median(starts.map(({ coldDelta }) => coldDelta)),
    rssIdle: median(starts.map(({ rss }) => rss)),
  };
}
