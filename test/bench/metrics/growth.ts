import { join } from 'node:path';
import { type BenchClient, turn } from '../bench-client.ts';
import type { Listener } from '../listener.ts';
import type { Curve, Metric, MetricContext } from '../metric.ts';
import { median } from '../stats.ts';
import { type Running, settled } from '../target.ts';
import { createUpTo } from './population.ts';

const deltas = 500;
/** Enough that their cost stands out of what the transcript itself costs a turn. */
const manyDeltas = 5_000;
const sizes = [10, 100, 1_000, 10_000];

const flat = { must: 1.3, stretch: 1.1 };

/** What a delta costs while something grows around it: it should not notice. */
export const growth: Metric[] = [
  grows(bySessions, [
    {
      id: 'bySessions',
      label: 'main-thread CPU per delta of a 500-delta turn, by sessions',
      unit: 'us',
      points: sizes,
      ...flat,
    },
  ]),
  grows(byTranscript, [
    {
      id: 'byTranscript',
      label: 'main-thread CPU per further delta of a turn, by messages in the transcript',
      unit: 'us',
      points: sizes,
      ...flat,
    },
    {
      id: 'turnByTranscript',
      label: 'a turn of one delta, by messages in the transcript (all of them are sent to the model)',
      unit: 'ms',
      points: sizes,
    },
  ]),
  grows(bySubscribers, [
    {
      id: 'bySubscribers',
      label: 'server CPU per delta and subscriber, by subscribers',
      unit: 'us',
      points: [1, 10, 100, 1_000],
      ...flat,
    },
  ]),
];

type Measure = (running: Running, context: MetricContext) => Promise<Record<string, number>>;

/** On a process of its own, without checkpoints: they are measured elsewhere. */
function grows(measure: Measure, curves: Curve[]): Metric {
  return {
    rows: [],
    curves,
    once: true,
    longestMs: 300_000,
    async measure(context) {
      const { target, directory } = context;
      const environment = { SERVICE_CHECKPOINTS: 'false' };
      const running = await target.start(join(directory, measure.name), { environment });
      const values = await measure(running, context);
      await running.stop();
      return values;
    },
  };
}

interface Subject {
  client: BenchClient;
  sessionId: string;
  listener: Listener;
}

async function bySessions(running: Running, { scale }: MetricContext): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  const { client } = running;
  const subject = await open(client);
  await turns(running, { subject, deltas, count: 40 });
  let count = 1;
  for (const size of sizes.filter((each) => each <= scale.pick(10_000, 1_000))) {
    await createUpTo(client, { from: count, to: size });
    count = size;
    await settled(running);
    const { cpuMs } = await turns(running, { subject, deltas, count: 25 });
    values[`bySessions@${size}`] = (cpuMs * 1_000) / deltas;
  }
  return values;
}

async function byTranscript(running: Running, { scale }: MetricContext): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  const { client } = running;
  await turns(running, { subject: await open(client), deltas, count: 20 });
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
    const [short, long]: [Cost[], Cost[]] = [[], []];
    for (let at = 0; at < pairs; at++) {
      const subject = subjects[at % subjects.length] ?? old;
      short.push(await turns(running, { subject, deltas: 1, count: 1 }));
      long.push(await turns(running, { subject, deltas: manyDeltas, count: 1 }));
    }
    messages += size === 10 ? 4 : 4 * pairs;
    const cpu = (costs: Cost[]) => median(costs.map(({ cpuMs }) => cpuMs));
    values[`byTranscript@${size}`] = ((cpu(long) - cpu(short)) * 1_000) / (manyDeltas - 1);
    values[`turnByTranscript@${size}`] = median(short.map(({ totalMs }) => totalMs));
  }
  return values;
}

async function bySubscribers(running: Running, { scale }: MetricContext): Promise<Record<string, number>> {
  const { client } = running;
  const values: Record<string, number> = {};
  const subject = await open(client);
  await turns(running, { subject, deltas, count: 20 });
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

/** Of one turn. */
interface Cost {
  totalMs: number;
  cpuMs: number;
}

/** Medians of so many turns. */
async function turns(
  running: Running,
  { subject, deltas, count }: { subject: Subject; deltas: number; count: number },
): Promise<Cost> {
  const costs: Cost[] = [];
  for (let at = 0; at < count; at++) {
    const before = running.loopCpuMs();
    const { totalMs } = await turn(subject.client, { ...subject, content: `stream ${deltas}` });
    costs.push({ totalMs, cpuMs: running.loopCpuMs() - before });
  }
  return { totalMs: median(costs.map(({ totalMs }) => totalMs)), cpuMs: median(costs.map(({ cpuMs }) => cpuMs)) };
}
