import { setTimeout as sleep } from 'node:timers/promises';
import type { Metric } from '../metric.ts';
import { median, quantile } from '../stats.ts';

const perSecond = 500;

/** POST to 202 at a fixed rate, whatever the server does; with the default durability the message is on disk by then. */
export const accepted: Metric = {
  rows: [
    { id: 'ack50', label: 'POST to 202 at 500/s, p50', unit: 'ms', good: 'low', must: 3, stretch: 1.5, of: 'value' },
    { id: 'ack99', label: 'POST to 202 at 500/s, p99', unit: 'ms', good: 'low', must: 25, stretch: 12.5, of: 'value' },
  ],
  async measure({ running: { client }, scale }) {
    const seconds = scale.pick(2, 1);
    const sessions = await Promise.all(Array.from({ length: seconds * perSecond }, () => client.createSession()));
    // A session for every message: a server that falls behind must not be asked while it is busy.
    const sent: Promise<number>[] = [];
    const start = performance.now();
    while (sent.length < seconds * perSecond) {
      const due = ((performance.now() - start) / 1000) * perSecond;
      for (const sessionId of sessions.slice(sent.length, Math.ceil(due))) {
        const answered = client.send(sessionId, 'stream 1');
        answered.catch(() => {});
        sent.push(answered);
      }
      await sleep(1);
    }
    const times = await Promise.all(sent);
    await sleep(100);
    return { ack50: median(times), ack99: quantile(times, 0.99) };
  },
};
