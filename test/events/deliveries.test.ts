import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEventBus } from '../../lib/events/create-event-bus.ts';
import type { EventCursor } from '../../lib/events/event-bus.ts';
import { delta, drain, scope, texts } from './bus-probe.ts';

const test = suite('when who waits for events is called');

/** A subscriber that takes what is there whenever it is called, as a stream does; each take is one write. */
function watch(cursor: EventCursor): string[][] {
  const writes: string[][] = [];
  const wait = (): void => cursor.whenReady(take);
  const take = (): void => {
    const taken = texts(drain(cursor));
    if (taken.length > 0) writes.push(taken);
    if (!cursor.ended) wait();
  };
  wait();
  return writes;
}

function opened() {
  const clock = { ms: 1_000_000, now: () => clock.ms };
  const bus = createEventBus({ clock, seed: 0 });
  return { clock, bus, writes: watch(bus.subscribe(scope)) };
}

/** All that is due in this turn of the event loop before its end. */
async function microtasks(): Promise<void> {
  for (let at = 0; at < 10; at++) await Promise.resolve();
}

const turnsEnd = () => new Promise((resolve) => setImmediate(resolve));

test('who has waited for a while is called as soon as the code that publishes is through, with all of it', async () => {
  const { bus, writes } = opened();
  bus.publish(scope, delta('s1', 'a'));
  bus.publish(scope, delta('s1', 'b'));
  assert.equal(writes, [], 'not in the middle of it');
  await microtasks();
  assert.equal(writes, [['a', 'b']]);
});

test('who was called just before gets the rest of the turn in one piece at its end', async () => {
  const { bus, writes, clock } = opened();
  for (const text of ['a', 'b', 'c', 'd']) {
    bus.publish(scope, delta('s1', text));
    clock.ms += text === 'c' ? 1 : 0;
    await microtasks();
  }
  assert.equal(writes, [['a']]);
  await turnsEnd();
  assert.equal(writes, [['a'], ['b', 'c', 'd']]);
});

test('a calm stream is a write for every event, at once', async () => {
  const { bus, writes, clock } = opened();
  for (const text of ['a', 'b', 'c']) {
    clock.ms += 10;
    bus.publish(scope, delta('s1', text));
    await microtasks();
  }
  assert.equal(writes, [['a'], ['b'], ['c']]);
});

test('deliver() does not wait for anything', () => {
  const { bus, writes } = opened();
  bus.publish(scope, delta('s1', 'a'));
  bus.deliver();
  assert.equal(writes, [['a']]);
});

test('a delta is the same frame for everyone, whenever it is read', async () => {
  const { bus, clock } = opened();
  const early = bus.subscribe(scope);
  for (const [at, text] of ['a', '"b"', 'c\n'].entries()) {
    clock.ms += 10;
    bus.publish(scope, delta('s1', text, at === 1 ? 'msg_2' : 'msg_1'));
  }
  const first = early.take(1 << 20);
  const late = bus.subscribe({ ...scope, after: 0 });
  const wide = bus.subscribe({ tenantId: scope.tenantId, admin: true, after: 0 });
  assert.is(late.take(1 << 20), first);
  assert.is(wide.take(1 << 20), first);
});

test.run();
