import type { Metric } from '../metric.ts';
import { median } from '../stats.ts';

const [subscribers, deltas] = [50, 500];

export const fanOut: Metric = {
  rows: [{ id: 'fan', label: 'fan-out to 50 subscribers', unit: 'deltas/s', good: 'high', must: 1.5, stretch: 3 }],
  async measure({ running: { client }, scale }) {
    const sessionId = await client.createSession();
    const listeners = await Promise.all(Array.from({ length: subscribers }, () => client.listen(sessionId)));
    const rates: number[] = [];
    for (let at = 0; at < scale.pick(6, 4); at++) {
      const before = performance.now();
      const ends = listeners.map((listener) => listener.finished());
      await client.send(sessionId, `stream ${deltas}`);
      await Promise.all(ends);
      rates.push((subscribers * deltas * 1000) / (performance.now() - before));
    }
    for (const listener of listeners) listener.close();
    return { fan: median(rates) };
  },
};
