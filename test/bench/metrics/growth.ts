import { join } from 'node:path';
import { type BenchClient, turn } from '../bench-client.ts';
import type { Listener } from '../listener.ts';
import type { Metric, MetricContext } from '../metric.ts';
import { median } from '../stats.ts';
import type { Running } from '../target.ts';
import { createUpTo } from './population.ts';

const deltas = 500;
/** Enough that their cost stands out of what the transcript itself costs a turn. */
const manyDeltas = 5_000;
const sizes = [10, 100, 1_000, 10_000];

/** What a delta costs while something grows around it: it should not notice. */
export const growth: Metric = {
  rows: [],
  curves: [
    {
      id: 'bySessions',
      label: 'time per delta of a 500-delta turn, by sessions',
      unit: 'us',
      points: sizes,
      must: 1.3,
      stretch: 1.1,
    },
    {
      id: 'byTranscript',
      label: 'time per further delta of a turn, by messages in the transcript',
      unit: 'us',
      points: sizes,
      must: 1.3,
      stretch: 1.1,
    },
    {
      id: 'turnByTranscript',
      label: 'a turn of one delta, by messages in the transcript (all of them are sent to the model)',
      unit: 'ms',
      points: sizes,
    },
    {
      id: 'bySubscribers',
      label: 'server CPU per delta and subscriber, by subscribers',
      unit: 'us',
      points: [1, 10, 100, 1_000],
      must: 1.3,
      stretch: 1.1,
    },
  ],
  once: true,
  longestMs: 300_000,
  async measure(context) {
    const { target, directory } = context;
    const values: Record<string, number> = {};
    for (const grow of [bySessions, byTranscript, bySubscribers]) {
      const running = await target.start(join(directory, grow.name), { environment: { SERVICE_CHECKPOINTS: 'false' } });
      try {
        Object.assign(values, await grow(running, context));
      } finally {
        await running.stop();
      }
    }
    return values;
  },
};

interface Subject {
  client: BenchClient;
  sessionId: string;
  listener: Listener;
}

async function bySessions({ client }: Running, { scale }: MetricContext): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  const subject = await open(client);
  await turns(subject, { deltas, count: 40 });
  let count = 1;
  for (const size of sizes.filter((each) => each <= scale.pick(10_000, 1_000))) {
    await createUpTo(client, { from: count, to: size });
    count = size;
    const { totalMs } = await turns(subject, { deltas, count: 25 });
    values[`bySessions@${size}`] = (totalMs * 1_000) / deltas;
  }
  return values;
}

async function byTranscript({ client }: Running, { scale }: MetricContext): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  await turns(await open(client), { deltas, count: 20 });
  const pairs = 12;
  // Measuring makes a transcript longer too: while it is short, every pair of turns gets a session of its own.
  const young = await Promise.all(Array.from({ length: pairs }, () => open(client)));
  const [old] = young;
  if (!old) return values;
  let messages = 0;
  for (const size of sizes.filter((each) => each <= scale.pick(10_000, 1_000))) {
    const subjects = size === 10 ? young : [old];
    for (; messages < size; messages += 2)
      for (const subject of subjects) await turn(client, { ...subject, content: 'stream 1' });
    const [short, long]: [number[], number[]] = [[], []];
    for (let at = 0; at < pairs; at++) {
      const subject = subjects[at % subjects.length] ?? old;
      short.push((await turn(client, { ...subject, content: 'stream 1' })).totalMs);
      long.push((await turn(client, { ...subject, content: `stream ${manyDeltas}` })).totalMs);
    }
    messages += size === 10 ? 4 : 4 * pairs;
    values[`byTranscript@${size}`] = ((median(long) - median(short)) * 1_000) / (manyDeltas - 1);
    values[`turnByTranscript@${size}`] = median(short);
  }
  return values;
}

async function bySubscribers(running: Running, { scale }: MetricContext): Promise<Record<string, number>> {
  const { client } = running;
  const values: Record<string, number> = {};
  const subject = await open(client);
  await turns(subject, { deltas, count: 20 });
  const listeners = [subject.listener];
  for (const size of [1, 10, 100, 1_000]) {
    while (listeners.length < size)
      listeners.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(50, size - listeners.length) }, () => client.listen(subject.sessionId)),
        )),
      );
    // Enough for a clock that counts in steps of 10 ms.
    const rounds = Math.ceil(scale.pick(400_000, 100_000) / deltas / (size === 1 ? 4 : size));
    const before = running.cpuMs();
    for (let at = 0; at < rounds; at++) {
      const ends = listeners.map((listener) => listener.finished());
      await client.send(subject.sessionId, `stream ${deltas}`);
      await Promise.all(ends);
    }
    values[`bySubscribers@${size}`] = ((running.cpuMs() - before) * 1_000) / (rounds * deltas * size);
  }
  return values;
}

async function open(client: BenchClient): Promise<Subject> {
  const sessionId = await client.createSession();
  return { client, sessionId, listener: await client.listen(sessionId) };
}

/** Medians of so many turns. */
async function turns(
  { client, ...session }: Subject,
  { deltas, count }: { deltas: number; count: number },
): Promise<{ totalMs: number }> {
  const times: number[] = [];
  for (let at = 0; at < count; at++)
    times.push((await turn(client, { ...session, content: `stream ${deltas}` })).totalMs);
  return { totalMs: median(times) };
}
