import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RunningService, startService } from '../helpers/running-service.ts';
import { within } from '../helpers/within.ts';

const test = suite('SIGTERM at any moment: exit 0, what was acknowledged is there, and nothing is said to be running');

/** FAULTS_STOPS more stops; they come at moments that a generator with this seed chooses. */
const stops = Number(process.env.FAULTS_STOPS ?? 6);
const seed = Number(process.env.FAULTS_SEED ?? Date.now() % 1e9);

test(`${stops} stops under load, seed ${seed}`, async () => {
  const settings = { server: { drainMs: 150 } };
  const random = generator(seed);
  const acknowledged = new Map<string, string[]>();
  let service = await startService({ settings });
  for (let round = 0; round < stops; round++) {
    const loads = Array.from({ length: 3 }, (_, client) => talk(service, `${round}-${client}`, acknowledged));
    await new Promise((resolve) => setTimeout(resolve, Math.floor(random() * 600)));
    assert.is(await within(20_000, service.stop()), 0, service.output());
    await Promise.all(loads);
    service = await service.restart({ settings });
    for (const [id, contents] of acknowledged) {
      const { session } = await service.client.readSession(id);
      assert.ok(['idle', 'interrupted'].includes(session.status), `${id} is ${session.status}`);
      const said = session.messages.filter(({ role }) => role === 'user').map(({ content }) => content);
      assert.equal(
        contents.filter((content) => !said.includes(content)),
        [],
      );
      assert.is(session.messageCount, session.messages.length);
    }
  }
  assert.ok(acknowledged.size > stops, 'something was acknowledged before every stop');
  assert.is(await service.stop(), 0);
});

test.run();

/** Creates sessions and sends messages until the service is gone; notes what was acknowledged. */
async function talk(service: RunningService, name: string, acknowledged: Map<string, string[]>): Promise<void> {
  for (let turn = 0; ; turn++) {
    try {
      const { session } = await service.client.createSession();
      acknowledged.set(session.id, []);
      const content = `write notes-${name}.txt: turn ${turn}`;
      await service.client.sendMessage(session.id, { content });
      acknowledged.get(session.id)?.push(content);
    } catch (error) {
      // During the drain new runs are refused, at the end the connection is.
      if (error instanceof Error && 'code' in error && error.code === 'shutting_down') continue;
      return;
    }
  }
}

/** A linear congruential generator: the moments of a failed run can be had again. */
function generator(from: number): () => number {
  let state = from;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
