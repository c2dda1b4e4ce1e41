import { turn } from '../bench-client.ts';
import type { Metric } from '../metric.ts';
import { median } from '../stats.ts';

/** A turn in a session that has had 120 against one in a new session, on the same server. */
export const longSession: Metric = {
  rows: [
    {
      id: 'aged',
      label: 'turn after 120 turns / in a new session',
      unit: 'x',
      good: 'low',
      must: 1.2,
      stretch: 1.05,
      of: 'value',
    },
  ],
  async measure({ running: { client }, scale }) {
    const open = async () => {
      const sessionId = await client.createSession();
      return { sessionId, listener: await client.listen(sessionId), content: 'stream 20' };
    };
    const old = await open();
    for (let at = 0; at < 120; at++) await turn(client, old);
    const [oldTimes, newTimes]: [number[], number[]] = [[], []];
    for (let at = 0; at < scale.pick(40, 20); at++) {
      oldTimes.push((await turn(client, old)).totalMs);
      const fresh = await open();
      newTimes.push((await turn(client, fresh)).totalMs);
      fresh.listener.close();
    }
    old.listener.close();
    return { aged: median(oldTimes) / median(newTimes) };
  },
};
