import { turn } from '../bench-client.ts';
import type { Metric } from '../metric.ts';
import { median, quantile } from '../stats.ts';

/** POST to the first delta at a subscriber; the model answers at once, so nearly all of it is the server's. */
export const firstDelta: Metric = {
  rows: [
    { id: 'first50', label: 'POST to first delta, p50', unit: 'ms', good: 'low', must: 2.5, stretch: 1.5 },
    { id: 'first99', label: 'POST to first delta, p99', unit: 'ms', good: 'low', must: 2.5, stretch: 1.5 },
  ],
  async measure({ running: { client }, scale }) {
    const times: number[] = [];
    for (let at = 0; at < scale.pick(300, 120); at++) {
      const sessionId = await client.createSession();
      const listener = await client.listen(sessionId);
      times.push((await turn(client, { sessionId, listener, content: 'stream 5' })).firstMs);
      listener.close();
    }
    return { first50: median(times), first99: quantile(times, 0.99) };
  },
};
