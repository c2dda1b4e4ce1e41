import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEventBus } from '../../lib/events/create-event-bus.ts';
import type { SessionSummary } from '../../lib/wire/session.ts';
import { clock, delta, drain, scope, texts } from './bus-probe.ts';

const late = suite('A client may subscribe after it has sent its message: without an id it');

late('gets a run that is going on from the message that started it, and nothing of one whose end was told', () => {
  const bus = createEventBus({ clock, seed: 100 });
  const watcher = bus.subscribe(scope);
  const types = (cursor = bus.subscribe(scope)) => drain(cursor).map(({ event }) => event.type);
  const sessionId = 's1';
  const runId = 'run_1';
  const message = { id: 'msg_1', role: 'user', content: 'go', createdAt: '' } as const;
  const begin = (): void => {
    bus.publish(scope, { type: 'message.completed', sessionId, message });
    bus.publish(scope, { type: 'session.updated', sessionId, session: {} as SessionSummary });
    bus.publish(scope, { type: 'run.started', sessionId, runId });
  };
  const start = ['message.completed', 'session.updated', 'run.started'];
  bus.publish(scope, delta('s1', 'earlier'));
  begin();
  bus.publish(
    { tenantId: 'a', sessionId: 's2' },
    { type: 'run.finished', sessionId: 's2', runId, status: 'completed' },
  );
  bus.publish(scope, delta('s1', 'x'));
  assert.equal(types(), [...start, 'message.delta']);
  assert.equal(types(bus.subscribe({ tenantId: 'a' })), []);
  bus.publish(scope, { type: 'run.finished', sessionId, runId, status: 'completed' });
  drain(watcher);
  assert.equal(types(), []);
  begin();
  assert.equal(types(), start);
  bus.publish(scope, { type: 'run.failed', sessionId, runId, error: 'x' });
  drain(watcher);
  assert.equal(types(), []);
});

late('gets a run that was over before it came, if nobody was told and it is not long ago', () => {
  let now = 5_000;
  const bus = createEventBus({ clock: { now: () => now }, seed: 100 });
  const runOnce = (): void => {
    bus.publish(scope, { type: 'run.started', sessionId: 's1', runId: 'run_1' });
    bus.publish(scope, delta('s1', 'quick'));
    bus.publish(scope, { type: 'run.finished', sessionId: 's1', runId: 'run_1', status: 'completed' });
  };
  const seen = (): string[] => {
    const cursor = bus.subscribe(scope);
    const found = texts(drain(cursor));
    cursor.close();
    return found;
  };
  const whole = ['run.started', 'quick', 'run.finished'];
  runOnce();
  drain(bus.subscribe({ tenantId: 'a' }));
  bus.shown({ tenantId: 'b' });
  bus.shown({ tenantId: 'a', sessionId: 's2' });
  assert.equal([seen(), seen()], [whole, []]);
  runOnce();
  bus.shown(scope);
  assert.equal(seen(), []);
  runOnce();
  bus.shown({ tenantId: 'a' });
  assert.equal(seen(), []);
  runOnce();
  now += 1_000;
  assert.equal(seen(), whole);
  runOnce();
  now += 1_001;
  assert.equal(seen(), []);
});

late('gets what is left of a run whose beginning was evicted', () => {
  const bus = createEventBus({ clock, seed: 100, capacity: 2 });
  bus.publish(scope, { type: 'run.started', sessionId: 's1', runId: 'run_1' });
  for (const text of ['a', 'b', 'c']) bus.publish(scope, delta('s1', text));
  assert.equal(texts(drain(bus.subscribe(scope))), ['b', 'c']);
});

late.run();
