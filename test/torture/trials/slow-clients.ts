import { providerSettings } from '../../conversation/two-providers.ts';
import { createRandom } from '../../helpers/random.ts';
import { startService } from '../../helpers/running-service.ts';
import { startScriptedModel } from '../../helpers/scripted-model-server.ts';
import { eventually, within } from '../../helpers/within.ts';
import { descriptorLimit, descriptorsOf, megabytes, memoryOf, noProcessFigures } from '../service/process-figures.ts';
import { type SlowClient, slowClient } from '../service/slow-client.ts';
import { watchEvents } from '../service/watcher.ts';
import type { Trial, TrialResult } from '../trial.ts';

const clients = 1_000;
const sessions = 4;
const deltas = 2_000;
/** What 1,000 streams and a full buffer of events may take above a service at rest. */
const mostGrowth = 320 * 1024 * 1024;

/**
 * 1,000 clients that subscribe and do not read, or a byte a second, while runs stream thousands of deltas. A subscriber is a
 * cursor and not a queue: such a client costs its socket. Nobody else notices, and no stream is sent with a hole: who falls
 * out of the buffer is told so by `stream.gap` when it reads on.
 */
export const slowClients: Trial = {
  name: 'slow-clients',
  cycle: `${sessions} runs of ${deltas} deltas before ${clients} clients that do not read`,
  async run({ ms, seed, note }) {
    const skipped = noProcessFigures ?? (descriptorLimit() < clients + 500 ? 'too few files may be open' : undefined);
    const nothing = { cycles: 0, acknowledged: 0, lost: 0, violations: [] };
    if (skipped) return { ...nothing, skipped };
    const until = performance.now() + ms * 0.8;
    const provider = await startScriptedModel({ answer: () => [{ text: answer }] });
    const settings = { ...providerSettings(provider.url), checkpoints: { enabled: false } };
    const service = await startService({ settings });
    const violations: string[] = [];
    const figures: Record<string, string> = {};
    let cycles = 0;
    try {
      const range = { lowest: Number.POSITIVE_INFINITY, highest: 0 };
      const world = { service, random: createRandom(seed), violations, range };
      do {
        Object.assign(figures, await cycle(world, cycles));
        cycles += 1;
      } while (performance.now() < until && violations.length === 0);
    } finally {
      await service.kill();
      await provider.close();
    }
    for (const violation of violations) note(`seed ${seed}: ${violation}`);
    return { cycles, acknowledged: cycles * sessions, lost: 0, violations, figures } satisfies TrialResult;
  },
};

const answer = Array.from({ length: deltas }, (_, at) => `word ${at} of a long answer, `);

interface World {
  /** Memory over all cycles, in bytes. */
  range: { lowest: number; highest: number };
  service: Awaited<ReturnType<typeof startService>>;
  random: ReturnType<typeof createRandom>;
  violations: string[];
}

async function cycle({ service, random, violations, range }: World, number: number): Promise<Record<string, string>> {
  const { client, url, pid } = service;
  const ids = await Promise.all(
    Array.from({ length: sessions }, async () => (await client.createSession()).session.id),
  );
  // The first requests open connections that stay open; they belong to the state before.
  const before = { memory: memoryOf(pid), descriptors: descriptorsOf(pid) };
  const slow: SlowClient[] = [];
  while (slow.length < clients) slow.push(...(await Promise.all(times(50, () => open(url, random, ids)))));
  const fast = await Promise.all(ids.map((id) => readAlong(url, id)));
  const peak = { memory: 0 };
  const sampler = setInterval(() => {
    peak.memory = Math.max(peak.memory, memoryOf(pid));
  }, 100);
  try {
    const ends = ids.map((id) => client.sendAndWait(id, `go ${number}`));
    for (const { status } of await within(60_000, Promise.all(ends), 'the end of the runs'))
      if (status !== 'completed') violations.push(`a run ended ${status} while clients did not read`);
    const text = answer.join('');
    for (const reader of fast) {
      await eventually(10_000, () => reader.ended(), 'the end of a run for a fast reader').catch(() =>
        violations.push('a fast reader did not see the end of its run'),
      );
      if (reader.text() !== text)
        violations.push(`a fast reader got ${reader.text().length} of ${text.length} characters`);
    }
    const { length } = slow.filter(({ closed }) => closed);
    if (length > 0) violations.push(`${length} clients were cut off because they do not read`);
    violations.push(...(await late(slow)));
  } finally {
    clearInterval(sampler);
    for (const reader of fast) reader.stop();
    for (const each of slow) each.destroy();
  }
  if (peak.memory - before.memory > mostGrowth)
    violations.push(`memory grew by ${megabytes(peak.memory - before.memory)}`);
  // Connections of the clients that made the requests, and those to the provider, are kept for the next time.
  const back = (): boolean => descriptorsOf(pid) <= before.descriptors + sessions * 4;
  await eventually(10_000, back).catch(() =>
    violations.push(
      `${before.descriptors} descriptors were open before, ${descriptorsOf(pid)} are after everybody left`,
    ),
  );
  for (const id of ids) await client.deleteSession(id);
  const lowest = Math.min(range.lowest, before.memory);
  const highest = Math.max(range.highest, peak.memory);
  Object.assign(range, { lowest, highest });
  return {
    memory: `${megabytes(lowest)} at rest, ${megabytes(highest)} at most`,
    descriptors: `${before.descriptors} before, ${descriptorsOf(pid)} after`,
  };
}

function open(url: string, random: World['random'], ids: readonly string[]): Promise<SlowClient> {
  const id = ids[random.below(ids.length)] ?? '';
  const path = random.once(4) ? '/api/events' : `/api/sessions/${id}/events`;
  return slowClient(url, path, random.once(2) ? 1 : 0);
}

/** A client that reads at once: the text of its session as the deltas tell it. */
async function readAlong(url: string, id: string) {
  const parts: string[] = [];
  const end = { seen: false };
  const watcher = await watchEvents(
    url,
    ({ event }) => {
      if (event.type === 'message.delta' && event.channel === 'text') parts.push(event.delta);
      if (event.type === 'run.finished') end.seen = true;
    },
    { path: `/api/sessions/${id}/events` },
  );
  return { text: () => parts.join(''), ended: () => end.seen, stop: watcher.stop };
}

/** Some of the slow ones read on: numbers rise, and what is missing is announced. */
async function late(slow: readonly SlowClient[]): Promise<string[]> {
  const found: string[] = [];
  const arrived = slow.slice(0, 40).map((client) => {
    const state = { last: 0, over: false, gap: false, texts: new Map<string, string>() };
    client.readAll(({ seq, event }) => {
      if (event.type !== 'stream.gap' && seq <= state.last) found.push(`seq ${seq} came after ${state.last}`);
      state.last = seq;
      if (event.type === 'stream.gap') state.gap = true;
      if (event.type === 'message.delta')
        state.texts.set(event.sessionId, (state.texts.get(event.sessionId) ?? '') + event.delta);
      if (event.type === 'run.finished') state.over = true;
    });
    return state;
  });
  await eventually(15_000, () => arrived.every(({ over }) => over)).catch(() => {
    const { length } = arrived.filter(({ over }) => !over);
    found.push(`${length} of ${arrived.length} clients that read on did not arrive at the end`);
  });
  const whole = answer.join('').length;
  for (const { gap, texts } of arrived) {
    // Who watches everything may still be in the middle of another session.
    const most = Math.max(0, ...[...texts.values()].map((text) => text.length));
    if (!gap && most !== whole)
      found.push(`a client that read on was sent ${most} of ${whole} characters, without a gap`);
  }
  return found;
}

function times<T>(length: number, make: () => T): T[] {
  return Array.from({ length }, make);
}
