import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nextTurn } from '../../lib/base/next-turn.ts';
import { createEventBus } from '../../lib/events/create-event-bus.ts';
import type { SessionEvent } from '../../lib/wire/event.ts';
import { within } from '../helpers/within.ts';
import { clock, delta, drain, scope, texts } from './bus-probe.ts';

const frames = suite('Event frames: an id line, one data line with the envelope, an empty line');

frames('a delta made from ready-made text is the JSON of its event', () => {
  const bus = createEventBus({ clock, seed: 41 });
  const cursor = bus.subscribe({ ...scope });
  const nasty = 'a"\\\n\r\u2028\ud800😀</script>';
  bus.publish(scope, delta('s1', 'plain'));
  bus.publish(scope, delta('s1', nasty));
  bus.publish(scope, { ...delta('s1', 'thought'), channel: 'reasoning' } as SessionEvent);
  bus.publish(scope, delta('s1', 'next', 'msg_2'));
  const envelopes = drain(cursor);
  assert.equal(
    envelopes.map(({ seq }) => seq),
    [42, 43, 44, 45],
  );
  assert.equal(envelopes[1], { seq: 43, at: '2023-11-14T22:13:20.000Z', event: delta('s1', nasty) });
  assert.equal(envelopes[2]?.event, { ...delta('s1', 'thought'), channel: 'reasoning' });
  assert.equal(envelopes[3]?.event, delta('s1', 'next', 'msg_2'));
});

frames('an event that JSON cannot carry arrives as a notice', () => {
  const bus = createEventBus({ clock, seed: 0 });
  const cursor = bus.subscribe(scope);
  const data: { self?: unknown } = {};
  data.self = data;
  bus.publish(scope, {
    type: 'tool.finished',
    sessionId: 's1',
    result: { callId: 'c', name: 't', ok: true, content: '', data },
  });
  assert.is(drain(cursor)[0]?.event.type, 'notice');
});

frames('take gives about as much as was asked for, and at least one frame', () => {
  const bus = createEventBus({ clock, seed: 0 });
  const cursor = bus.subscribe(scope);
  for (let i = 0; i < 10; i++) bus.publish(scope, delta('s1', 'x'.repeat(100)));
  const first = cursor.take(1);
  assert.is(String(first).split('data:').length, 2);
  const some = cursor.take(700);
  assert.ok(String(some).length <= 700 && String(some).split('data:').length > 2);
});

frames('a costly event is made when it is taken, once for everyone who asks meanwhile', async () => {
  const bus = createEventBus({ clock, seed: 0 });
  const cursors = [bus.subscribe(scope), bus.subscribe(scope)];
  let made = 0;
  bus.publish(scope, delta('s1', 'before'));
  bus.publish(scope, delta('s1', 'stand-in'), async () => {
    made++;
    return delta('s1', 'full');
  });
  bus.publish(scope, delta('s1', 'after'));
  assert.is(made, 0);
  const all = await within(
    1000,
    Promise.all(
      cursors.map(async (cursor) => [String(cursor.take(9999)), String(await cursor.take(9999)), cursor.take(9999)]),
    ),
  );
  assert.is(made, 1);
  for (const [before, full, after] of all) {
    assert.match(String(before), '"before"');
    assert.match(String(full), '"full"');
    assert.match(String(after), '"after"');
  }
  bus.publish(scope, delta('s1', 'stand-in'), () => Promise.reject(new Error('gone')));
  assert.match(String(await cursors[0]?.take(9999)), 'stand-in');
});
frames.run();

const replay = suite('Replay: everything buffered with a greater seq, and a gap exactly when it is not complete');
const three = (options = {}) => {
  const bus = createEventBus({ clock, seed: 100, capacity: 3, ...options });
  for (const text of ['a', 'b', 'c']) bus.publish(scope, delta('s1', text));
  return bus;
};

replay('without an id only what comes', () => {
  const bus = three();
  const cursor = bus.subscribe(scope);
  bus.publish(scope, delta('s1', 'd'));
  assert.equal(texts(drain(cursor)), ['d']);
});

replay('after an id its suffix; 0 is everything without a gap; the future is nothing', () => {
  const bus = three();
  assert.equal(texts(drain(bus.subscribe({ ...scope, after: 101 }))), ['b', 'c']);
  assert.equal(texts(drain(bus.subscribe({ ...scope, after: 0 }))), ['a', 'b', 'c']);
  assert.equal(texts(drain(bus.subscribe({ ...scope, after: 103 }))), []);
  const future = bus.subscribe({ ...scope, after: 9_999 });
  bus.publish(scope, delta('s1', 'd'));
  assert.equal(texts(drain(future)), ['d']);
});

replay('an evicted id: stream.gap just below the first envelope, then the remainder', () => {
  const bus = three();
  bus.publish(scope, delta('s1', 'd'));
  bus.publish(scope, delta('s1', 'e'));
  assert.equal(texts(drain(bus.subscribe({ ...scope, after: 102 }))), ['c', 'd', 'e']);
  const [gap, ...rest] = drain(bus.subscribe({ ...scope, after: 101 }));
  assert.is(gap?.seq, 102);
  assert.equal(gap?.event, { type: 'stream.gap', reason: 'evicted', resumedFrom: 102, sessionId: 's1' });
  assert.equal(texts(rest), ['c', 'd', 'e']);
  assert.equal(texts(drain(bus.subscribe({ ...scope, after: 0 }))), ['c', 'd', 'e']);
});

replay('an id of an earlier process: restarted, then everything that this one has', () => {
  const bus = three();
  const [gap, ...rest] = drain(bus.subscribe({ ...scope, after: 7 }));
  assert.equal(gap?.event, { type: 'stream.gap', reason: 'restarted', resumedFrom: 100, sessionId: 's1' });
  assert.equal(texts(rest), ['a', 'b', 'c']);
  const [alone, ...none] = drain(bus.subscribe({ tenantId: 'a', sessionId: 'quiet', after: 7 }));
  assert.is(alone?.seq, 103);
  assert.is(none.length, 0);
});

replay('what another session lost is no gap', () => {
  const bus = three();
  for (let i = 0; i < 5; i++) bus.publish({ tenantId: 'a', sessionId: 's2' }, delta('s2', 'x'));
  assert.equal(drain(bus.subscribe({ tenantId: 'a', sessionId: 'quiet', after: 101 })), []);
  assert.equal(texts(drain(bus.subscribe({ ...scope, after: 101 }))), ['stream.gap']);
});

replay('a subscriber that falls out of the buffer gets a gap and goes on', () => {
  const bus = three();
  const cursor = bus.subscribe({ ...scope, after: 0 });
  for (const text of ['d', 'e', 'f', 'g']) bus.publish(scope, delta('s1', text));
  assert.equal(texts(drain(cursor)), ['stream.gap', 'e', 'f', 'g']);
  bus.publish(scope, delta('s1', 'h'));
  assert.equal(texts(drain(cursor)), ['h']);
});

replay('the byte bound evicts too', () => {
  const bus = createEventBus({ clock, seed: 0, maxBytes: 10_000 });
  for (let i = 0; i < 10; i++) bus.publish(scope, delta('s1', 'x'.repeat(4_000)));
  assert.is(drain(bus.subscribe({ ...scope, after: 0 })).length, 2);
});
replay.run();

const lifetime = suite('Cursors: who sees what, and for how long');

lifetime('sessions and tenants are apart; administrators also get the notices, in order', () => {
  const bus = createEventBus({ clock, seed: 0 });
  const admin = bus.subscribe({ tenantId: 'a', admin: true });
  const user = bus.subscribe({ tenantId: 'a' });
  const other = bus.subscribe({ tenantId: 'b', sessionId: 's1' });
  const notice: SessionEvent = { type: 'notice', level: 'info', message: 'm' };
  bus.publish(scope, delta('s1', '1'));
  bus.publish({ adminOnly: true }, notice);
  bus.publish(scope, delta('s1', '2'));
  bus.publish({ adminOnly: true }, notice);
  assert.equal(texts(drain(admin)), ['1', 'notice', '2', 'notice']);
  assert.equal(texts(drain(user)), ['1', '2']);
  assert.equal(texts(drain(other)), []);
});

lifetime('a deleted session leaves nothing but its end, and its cursors end there', () => {
  const bus = createEventBus({ clock, seed: 0 });
  const viewer = bus.subscribe({ ...scope, after: 0 });
  const tenant = bus.subscribe({ tenantId: 'a', after: 0 });
  bus.publish(scope, delta('s1', 'private'));
  bus.publish(scope, { type: 'session.deleted', sessionId: 's1' });
  assert.equal(texts(drain(bus.subscribe({ tenantId: 'a', after: 0 }))), ['private', 'session.deleted']);
  bus.forget({ tenantId: 'a', sessionId: 's1' });
  assert.equal(texts(drain(tenant)), ['session.deleted']);
  assert.not(viewer.ended);
  assert.equal(texts(drain(viewer)), ['session.deleted']);
  assert.ok(viewer.ended);
  assert.not(tenant.ended);
});

lifetime(
  'who waits is called once for all of a turn, at once when there is something, and when the bus closes',
  async () => {
    const bus = createEventBus({ clock, seed: 0 });
    const cursor = bus.subscribe(scope);
    let calls = 0;
    cursor.whenReady(() => calls++);
    assert.is(calls, 0);
    bus.publish(scope, delta('s1', '1'));
    bus.publish(scope, delta('s1', '2'));
    assert.is(calls, 0);
    await nextTurn();
    assert.is(calls, 1);
    cursor.whenReady(() => calls++);
    assert.is(calls, 2);
    drain(cursor);
    cursor.whenReady(() => calls++);
    bus.close();
    await nextTurn();
    assert.is(calls, 3);
    assert.ok(cursor.ended);
  },
);

lifetime('a delivery calls those who are due without the rest of the turn, whatever one of them does', async () => {
  const bus = createEventBus({ clock, seed: 0 });
  const told: string[] = [];
  const [first, second] = [bus.subscribe(scope), bus.subscribe(scope)];
  first.whenReady(() => {
    told.push(...texts(drain(first)));
    second.close();
  });
  second.whenReady(() => told.push('the second'));
  bus.publish(scope, delta('s1', '1'));
  bus.publish(scope, delta('s1', '2'));
  bus.deliver();
  assert.equal(told, ['1', '2', 'the second']);
  first.whenReady(() => told.push(...texts(drain(first))));
  bus.publish(scope, delta('s1', '3'));
  await nextTurn();
  assert.equal(told.slice(3), ['3']);
});

lifetime('a listener sees every tenant and cannot break a publish', () => {
  const bus = createEventBus({ clock, seed: 0 });
  const seen: number[] = [];
  bus.listen(() => {
    throw new Error('bad listener');
  });
  const undo = bus.listen((_scope, { seq }) => seen.push(seq));
  bus.publish(scope, delta('s1', '1'));
  undo();
  bus.publish(scope, delta('s1', '2'));
  assert.equal(seen, [1]);
});

lifetime('a reader that never reads costs no memory', () => {
  const bus = createEventBus({ clock, seed: 0, capacity: 1_000 });
  const stalled = Array.from({ length: 50 }, () => bus.subscribe({ ...scope, after: 0 }));
  const publish = (count: number) => {
    for (let i = 0; i < count; i++) bus.publish(scope, delta('s1', `${i}`.padEnd(200, 'x')));
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const before = publish(5_000);
  const after = publish(100_000);
  assert.ok(after - before < 2_000_000, `grew by ${after - before} bytes`);
  for (const cursor of stalled) cursor.close();
});
lifetime.run();
