import { models, providerSettings } from '../../conversation/two-providers.ts';
import { createRandom, type Random } from '../../helpers/random.ts';
import { type RunningService, startService } from '../../helpers/running-service.ts';
import type { Chunking } from '../../helpers/scripted-model/script.ts';
import { startScriptedModel } from '../../helpers/scripted-model-server.ts';
import { within } from '../../helpers/within.ts';
import { chaosReply } from '../service/chaos-replies.ts';
import { SessionFacts } from '../service/session-facts.ts';
import { watchEvents } from '../service/watcher.ts';
import type { Trial } from '../trial.ts';

const steps = 6;
const timeoutMs = 1_000;
/** Every step with every attempt at its full time, and what a busy machine adds. */
const deadlineMs = steps * 2 * timeoutMs + 15_000;
const conversations = 6;
const turnsEach = 8;

/**
 * Both provider plugins before a server that breaks every rule. Each run must end in one way within its time, the next
 * message must be accepted, and every request that the server gets must be one that the vendors would take.
 */
export const providerChaos: Trial = {
  name: 'provider-chaos',
  cycle: `${conversations} conversations of ${turnsEach} messages at once`,
  async run({ ms, seed, note }) {
    const random = createRandom(seed);
    const until = performance.now() + ms;
    const violations: string[] = [];
    const tally = { cycles: 0, accepted: 0, lost: 0, ends: new Map<string, number>() };
    const provider = await startScriptedModel({
      answer: () => chaosReply(random),
      chunking: random.pick<Chunking>(['event', 'whole', 'nasty', 7]),
      newline: random.pick<'\n' | '\r\n'>(['\n', '\r\n']),
    });
    const retry = { attempts: 2, baseDelayMs: 1, maxDelayMs: 20 };
    const settings = {
      ...providerSettings(provider.url, { agent: { retry }, provider: { timeoutMs, idleTimeoutMs: 300 } }),
      model: { default: 'chat', maxSteps: steps },
      checkpoints: { enabled: false },
    };
    const service = await startService({ settings });
    const facts = new SessionFacts();
    const watcher = await watchEvents(service.url, (envelope) => facts.take(envelope));
    try {
      do {
        const chats = Array.from({ length: conversations }, (_, at) =>
          converse({ service, facts, random, tally, seen: watcher.seen }, models[at % models.length] ?? 'chat'),
        );
        for (const outcome of await Promise.all(chats)) violations.push(...outcome);
        tally.cycles += 1;
      } while (performance.now() < until && violations.length === 0);
    } finally {
      watcher.stop();
      await service.kill();
      await provider.close();
    }
    const refused = provider.requests.flatMap(({ problem }) => problem ?? []);
    violations.push(...facts.broken, ...refused.map((problem) => `I7 a request that vendors refuse: ${problem}`));
    for (const violation of violations) note(`seed ${seed}: ${violation}`);
    const ends = [...tally.ends].map(([end, times]) => `${times} ${end}`).join(' ');
    const figures = { requests: `${provider.requests.length}`, runs: ends, events: `${facts.events}` };
    return { cycles: tally.cycles, acknowledged: tally.accepted, lost: tally.lost, violations, figures };
  },
};

interface Surroundings {
  service: RunningService;
  facts: SessionFacts;
  random: Random;
  tally: { accepted: number; lost: number; ends: Map<string, number> };
  seen(seq: number): Promise<void>;
}

/** One session from creation to deletion; resolves with what was broken in it. */
async function converse(around: Surroundings, model: string): Promise<string[]> {
  const { service, facts, random, tally } = around;
  const { client } = service;
  const { session } = await client.createSession({ model });
  facts.open(session.id);
  try {
    for (let at = 0; at < turnsEach; at++) {
      const content = `message ${at} of ${session.id}`;
      const cancelsAfter = random.once(6) ? random.below(300) : undefined;
      const cancel =
        cancelsAfter === undefined
          ? undefined
          : setTimeout(() => void client.cancelRun(session.id).catch(() => undefined), cancelsAfter);
      const approved = random.once(2);
      // Refused with 409 when the run before has not ended for whoever saw its end: that rejects.
      const { runId, status } = await within(
        deadlineMs,
        client.sendAndWait(session.id, content, { approve: () => approved }),
        `the end of run ${at} of ${session.id}`,
      );
      clearTimeout(cancel);
      tally.accepted += 1;
      tally.ends.set(status, (tally.ends.get(status) ?? 0) + 1);
      facts.add(session.id, {
        kind: 'answer',
        tenantId: 'default',
        sessionId: session.id,
        asked: { verb: 'post', content },
        status: 202,
        sent: 0,
        body: { runId },
      });
      const detail = await client.readSession(session.id);
      await around.seen(Number(Reflect.get(detail.session, 'lastSeq')));
      facts.read(detail.session);
    }
    await client.deleteSession(session.id);
  } catch (error) {
    const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return [`${model}: ${why}`, ...facts.close(session.id)];
  }
  const found = facts.close(session.id);
  tally.lost += found.filter((text) => text.startsWith('I2 ')).length;
  return found.map((text) => `${model}: ${text}`);
}
