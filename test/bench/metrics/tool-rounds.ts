import { turn } from '../bench-client.ts';
import type { Metric } from '../metric.ts';
import { median } from '../stats.ts';

/** A turn in which the model reads a file twenty times, one call a step. */
export const toolRounds: Metric = {
  rows: [{ id: 'tools', label: '20 tool rounds', unit: 'ms', good: 'low', must: 2.5, stretch: 1.5 }],
  async measure({ running: { client }, scale }) {
    const times: number[] = [];
    for (let at = 0; at < scale.pick(12, 6); at++) {
      const sessionId = await client.createSession();
      const listener = await client.listen(sessionId);
      times.push((await turn(client, { sessionId, listener, content: 'tools 20' })).totalMs);
      listener.close();
    }
    return { tools: median(times) };
  },
};
