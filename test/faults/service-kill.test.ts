import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RunningService, startService } from '../helpers/running-service.ts';
import { within } from '../helpers/within.ts';

const test = suite('kill -9 while messages are acknowledged');

/** SERVICE_KILLS asks for more lives; the store itself is killed far more often in test/store/kill.test.ts. */
const lives = Number(process.env.SERVICE_KILLS ?? 8);

test('the whole service: what was answered with 202 or seen as message.completed is there after the restart', async () => {
  const demo = { 'demo-model': { delayMs: 0 } };
  let service = await startService({ settings: { plugins: { config: demo }, checkpoints: { enabled: false } } });
  /** Ids of messages that some watcher saw, and texts that were answered with 202, by session. */
  const promised = new Map<string, Set<string>>();
  try {
    for (let life = 0; life < lives; life++) {
      const gone = new AbortController();
      const to = { service, promised, signal: gone.signal };
      const writers = Array.from({ length: 4 }, (_, writer) => write(`life ${life} writer ${writer}`, to));
      await new Promise((resolve) => setTimeout(resolve, 40 + 60 * life));
      await service.kill();
      gone.abort();
      await within(10_000, Promise.all(writers));
      service = await service.restart();
      for (const [id, expected] of promised) {
        const { session } = await service.client.readSession(id);
        assert.is.not(session.status, 'running');
        const found = new Set(session.messages.flatMap((message) => [message.id, message.content]));
        assert.equal(
          [...expected].filter((item) => !found.has(item)),
          [],
          `life ${life}`,
        );
      }
      assert.not.match(service.output(), 'uarantine');
    }
    assert.ok(promised.size > lives, 'something was promised');
  } finally {
    await service.kill().catch(() => undefined);
  }
});

test.run();

/** Creates sessions and talks in them until the service is gone. */
async function write(
  name: string,
  { service, promised, signal }: { service: RunningService; promised: Map<string, Set<string>>; signal: AbortSignal },
): Promise<void> {
  try {
    for (let round = 0; ; round++) {
      const { session } = await service.client.createSession();
      const kept = new Set<string>();
      promised.set(session.id, kept);
      const content = `say ${name} round ${round}`;
      await service.client.sendAndWait(session.id, content, {
        signal,
        onEvent: ({ event }) => event.type === 'message.completed' && kept.add(event.message.id),
      });
      kept.add(content);
    }
  } catch {
    // The service was killed: nothing more is promised.
  }
}
