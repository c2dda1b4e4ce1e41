import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lastEventId } from '../../lib/http/last-event-id.ts';
import { eventStream } from '../../lib/http/sse.ts';
import { StreamPump, type TextSource } from '../../lib/http/stream-pump.ts';
import type { SessionEvent } from '../../lib/wire/event.ts';
import { fakeApp } from '../helpers/fake-app.ts';
import { within } from '../helpers/within.ts';

const principal = { kind: 'anonymous', tenantId: 'a', admin: false } as const;
const scope = { tenantId: 'a', sessionId: 's1' };
const notice = (message: string): SessionEvent => ({ type: 'notice', level: 'info', message, sessionId: 's1' });
const turn = () => new Promise((resolve) => setImmediate(resolve));

function open(signal: AbortSignal) {
  const { app } = fakeApp();
  let revoke = () => {};
  app.auth.whenRevoked = (_principal, fn) => {
    revoke = fn;
    return () => {};
  };
  const cursor = app.events.subscribe(scope);
  const reader = eventStream({ app, principal, cursor, signal }).body?.getReader();
  const read = async () => {
    const { value, done } = (await within(2_000, reader?.read())) ?? {};
    return done ? undefined : new TextDecoder().decode(value);
  };
  return { app, cursor, reader, read, revoke: () => revoke() };
}

const stream = suite('Event stream: a plain fetch response, also without a host');

stream('retry first, then what is published within one turn as one chunk', async () => {
  const { app, read, reader } = open(new AbortController().signal);
  assert.is(await read(), 'retry: 3000\n\n');
  const next = read();
  for (const text of ['a', 'b', 'c']) app.events.publish(scope, notice(text));
  assert.is((await next)?.match(/^id: /gm)?.length, 3);
  await reader?.cancel();
});

stream('publishing after the reader left throws nowhere and reaches nobody', async () => {
  const { app, cursor, read, reader } = open(new AbortController().signal);
  await read();
  const pending = read().catch(() => undefined);
  app.events.publish(scope, notice('a'));
  await reader?.cancel();
  await pending;
  assert.ok(cursor.ended);
  app.events.publish(scope, notice('b'));
  await turn();
});

stream('it ends when the client is gone, the credential revoked, the session deleted or the bus closed', async () => {
  const ends: ((world: ReturnType<typeof open>, stop: AbortController) => void)[] = [
    (_world, stop) => stop.abort(),
    (world) => world.revoke(),
    (world) => world.app.events.forget(scope),
    (world) => world.app.events.close(),
  ];
  for (const end of ends) {
    const stop = new AbortController();
    const world = open(stop.signal);
    await world.read();
    const last = world.read();
    await turn();
    end(world, stop);
    assert.is(await last, undefined);
    assert.ok(world.cursor.ended);
  }
});

stream('a client that is gone before it starts leaves no cursor', async () => {
  const { cursor } = open(AbortSignal.abort());
  assert.ok(cursor.ended);
});

stream('what comes after a frame that is being made waits for it, even when the sink asks for more', async () => {
  let finish = (_text: string) => {};
  const texts = [new Promise<string>((resolve) => (finish = resolve)), 'second'];
  const source: TextSource = { take: () => texts.shift(), whenReady() {}, ended: false, close() {} };
  const { app } = fakeApp();
  const { signal } = new AbortController();
  const pump = new StreamPump(source, { clock: app.clock, heartbeatMs: 1_000, retryMs: 1, signal });
  const written: string[] = [];
  pump.start({
    write(text) {
      written.push(text);
      return written.length !== 1;
    },
    end() {},
  });
  pump.resume();
  pump.resume();
  finish('first');
  await turn();
  assert.equal(written, ['retry: 1\n\n', 'first', 'second']);
  pump.close();
});
stream('a stop of the service sends what was published before it, and then ends', () => {
  const { app } = fakeApp();
  const written: string[] = [];
  const options = { clock: app.clock, heartbeatMs: 15_000, retryMs: 3_000, signal: new AbortController().signal };
  const pump = new StreamPump(app.events.subscribe(scope), options);
  pump.start({ write: (text) => written.push(text) > 0, end: () => void written.push('end') });
  app.events.publish(scope, notice('the last word'));
  pump.finish();
  assert.match(written[1] ?? '', 'the last word');
  assert.equal(written.slice(2), ['end']);
});

stream.run();

const position = suite('Last-Event-ID: where a replay starts');

position('the header wins over the query; what is no whole number is ignored', () => {
  const ask = (header?: string, query?: string) => {
    const url = new URL(`http://x/${query === undefined ? '' : `?lastEventId=${query}`}`);
    return lastEventId(new Request(url, { headers: header === undefined ? {} : { 'last-event-id': header } }), url);
  };
  assert.is(ask(), undefined);
  assert.is(ask('5', '7'), 5);
  assert.is(ask(undefined, '7'), 7);
  assert.is(ask('0'), 0);
  for (const wrong of ['-1', '1.5', 'x', '1e3', '']) {
    assert.is(ask(wrong), undefined, wrong);
    assert.is(ask(wrong, '7'), 7, wrong);
  }
  assert.is(ask('9'.repeat(30)), Number.MAX_SAFE_INTEGER);
});
position.run();
