import { turn } from '../bench-client.ts';
import type { Metric } from '../metric.ts';
import { median } from '../stats.ts';

const deltas = 500;

export const longTurn: Metric = {
  rows: [
    { id: 'turn500', label: '500-delta turn', unit: 'ms', good: 'low', must: 1.2, stretch: 0.6 },
    { id: 'cpuDelta', label: '- server CPU per delta', unit: 'us', good: 'low', must: 1.5, stretch: 0.8 },
  ],
  async measure({ running, scale }) {
    const { client } = running;
    const sessionId = await client.createSession();
    const listener = await client.listen(sessionId);
    const times: number[] = [];
    const turns = scale.pick(40, 25);
    const before = running.cpuMs();
    for (let at = 0; at < turns; at++)
      times.push((await turn(client, { sessionId, listener, content: `stream ${deltas}` })).totalMs);
    const cpu = running.cpuMs() - before;
    listener.close();
    return { turn500: median(times), cpuDelta: (cpu * 1000) / (turns * deltas) };
  },
};
