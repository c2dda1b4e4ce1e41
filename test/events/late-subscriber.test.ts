import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEventBus } from '../../lib/events/create-event-bus.ts';
import type { SessionSummary } from '../../lib/wire/session.ts';
import { clock, delta, drain, scope, texts } from './bus-probe.ts';

const late = suite('A client may subscribe after it has sent its message: without an id it');

const sessionId = 's1';
const runId = 'run_1';
const message = { id: 'msg_1', role: 'user', content: 'go', createdAt: '' } as const;
const start = ['message.completed', 'session.updated', 'run.started'];

function tape() {
  const time = { ms: 1_700_000_000_000 };
  const bus = createEventBus({ clock: { now: () => time.ms }, seed: 100 });
  return {
    bus,
    time,
    begin() {
      bus.publish(scope, { type: 'message.completed', sessionId, message });
      bus.publish(scope, { type: 'session.updated', sessionId, session: {} as SessionSummary });
      bus.publish(scope, { type: 'run.started', sessionId, runId });
    },
    end: () => bus.publish(scope, { type: 'run.finished', sessionId, runId, status: 'completed' }),
    newcomer: (to: Parameters<typeof bus.subscribe>[0] = scope) =>
      drain(bus.subscribe(to)).map(({ event }) => event.type),
  };
}

late('gets a run that is going on from the message that started it', () => {
  const { bus, begin, newcomer } = tape();
  bus.publish(scope, delta('s1', 'earlier'));
  begin();
  bus.publish({ tenantId: 'a', sessionId: 's2' }, { type: 'run.failed', sessionId: 's2', runId, error: 'x' });
  bus.publish(scope, delta('s1', 'x'));
  for (let times = 0; times < 2; times++) assert.equal(newcomer(), [...start, 'message.delta']);
  assert.equal(newcomer({ tenantId: 'a' }), [], 'only on the stream of the session');
});

late('gets a run that has just ended when nobody has seen it, once', () => {
  const { begin, end, newcomer } = tape();
  begin();
  end();
  assert.equal(newcomer(), [...start, 'run.finished']);
  assert.equal(newcomer(), []);
});

late('gets nothing of a run that is over and was seen, or more than two seconds ago', () => {
  const { bus, time, begin, end, newcomer } = tape();
  const watching = bus.subscribe(scope);
  begin();
  end();
  assert.equal(newcomer(), []);
  watching.close();
  begin();
  assert.equal(newcomer(), start);
  end();
  assert.equal(newcomer(), []);
  begin();
  end();
  time.ms += 2_001;
  assert.equal(newcomer(), []);
});

late('gets what is left of a run whose beginning was evicted', () => {
  const bus = createEventBus({ clock, seed: 100, capacity: 2 });
  bus.publish(scope, { type: 'run.started', sessionId: 's1', runId: 'run_1' });
  for (const text of ['a', 'b', 'c']) bus.publish(scope, delta('s1', text));
  assert.equal(texts(drain(bus.subscribe(scope))), ['b', 'c']);
});

late.run();
