import { setTimeout as sleep } from 'node:timers/promises';
import type { Metric, Row } from '../metric.ts';
import { median, quantile } from '../stats.ts';
import { settled } from '../target.ts';

/** POST to 202 at a fixed rate, whatever the server does; with the default durability the message is on disk by then. */
export const accepted: Metric = acceptedAt(500, [
  { id: 'ack50', label: 'POST to 202 at 500/s, p50', unit: 'ms', good: 'low', must: 3, stretch: 1.5, of: 'value' },
  { id: 'ack99', label: 'POST to 202 at 500/s, p99', unit: 'ms', good: 'low', must: 25, stretch: 12.5, of: 'value' },
  { id: 'ackCpu', label: '- server CPU per message and its reply', unit: 'ms', good: 'low' },
]);

/** What the embedded database must do is less: every message is a row and an index entry there. */
export const acceptedBySql: Metric = acceptedAt(300, [
  {
    id: 'ackSql50',
    label: 'SQL: POST to 202 at 300/s, p50',
    unit: 'ms',
    good: 'low',
    must: 10,
    stretch: 5,
    of: 'value',
    subject: 'sql',
  },
  {
    id: 'ackSql99',
    label: 'SQL: POST to 202 at 300/s, p99',
    unit: 'ms',
    good: 'low',
    must: 80,
    stretch: 40,
    of: 'value',
    subject: 'sql',
  },
  { id: 'ackSqlCpu', label: '- server CPU per message and its reply', unit: 'ms', good: 'low', subject: 'sql' },
]);

function acceptedAt(perSecond: number, rows: [p50: Row, p99: Row, cpu: Row]): Metric {
  return {
    rows,
    async measure({ running, scale }) {
      const { client } = running;
      const count = perSecond * scale.pick(3, 1);
      const sessions: string[] = [];
      while (sessions.length < count)
        sessions.push(...(await Promise.all(Array.from({ length: 50 }, () => client.createSession()))));
      await settled(running);
      // A session for every message: a server that falls behind must not be asked while it is busy.
      const sent: Promise<number>[] = [];
      const cpu = running.cpuMs();
      const start = performance.now();
      while (sent.length < count) {
        const due = ((performance.now() - start) / 1000) * perSecond;
        for (const sessionId of sessions.slice(sent.length, Math.ceil(due))) {
          const answered = client.send(sessionId, 'stream 1');
          answered.catch(() => {});
          sent.push(answered);
        }
        await sleep(1);
      }
      const times = await Promise.all(sent);
      await settled(running);
      const [p50, p99, spent] = rows;
      return {
        [p50.id]: median(times),
        [p99.id]: quantile(times, 0.99),
        [spent.id]: (running.cpuMs() - cpu) / count,
      };
    },
  };
}
