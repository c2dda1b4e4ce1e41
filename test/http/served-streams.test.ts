import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually, within } from '../helpers/within.ts';

import { consoleFolder, start, type World } from './served-world.ts';

let world: World;
let root: string;

async function before() {
  root = await consoleFolder();
  world = await start(root);
}
async function after() {
  await world.listening.close(0);
  await rm(root, { recursive: true });
}
const host = 'Host: localhost\r\n';
const streams = suite('Event streams: bytes, liveness, backpressure and ends');
streams.before(before);
streams.after(after);
const scope = { tenantId: 'default', sessionId: 's1' };
const publish = (delta: string) =>
  world.app.events.publish(scope, {
    type: 'message.delta',
    sessionId: 's1',
    messageId: 'msg_1',
    channel: 'text',
    delta,
  });
const target = '/api/sessions/s1/events';

streams('what is no request behind one cuts the stream and puts nothing into it', async () => {
  const client = connect(world.listening.port, '127.0.0.1');
  let received = '';
  const closed = new Promise((resolve) => client.once('close', resolve));
  client.setEncoding('utf8').on('data', (text: string) => {
    if (!received.includes('retry:') && text.includes('retry:')) client.write('this is no HTTP\r\n\r\n');
    received += text;
  });
  client.on('error', () => {});
  client.write(`GET ${target} HTTP/1.1\r\n${host}\r\n`);
  await within(2_000, closed);
  assert.is(received.split('HTTP/1.1 ').length, 2, received);
});

streams('headers and retry leave at once, then frames in the form of the contract', async () => {
  const opened = await within(2_000, fetch(world.url + target));
  assert.is(opened.headers.get('content-type'), 'text/event-stream');
  assert.is(opened.headers.get('cache-control'), 'no-cache, no-transform');
  assert.is(opened.headers.get('x-accel-buffering'), 'no');
  assert.is(opened.headers.get('access-control-allow-origin'), '*');
  const reader = opened.body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.is((await within(2_000, reader?.read()))?.value, 'retry: 3000\n\n');
  publish('one');
  publish('two');
  const { value = '' } = (await within(2_000, reader?.read())) ?? {};
  assert.match(
    value,
    /^id: \d+\ndata: \{"seq":\d+,"at":"[^"]+","event":\{.*"delta":"one"\}\}\n\nid: \d+\ndata: .*"two"/,
  );
  await reader?.cancel();
});

streams('replay and live are one: nothing published meanwhile is lost or doubled', async () => {
  const first = world.app.events.lastSeq;
  for (let i = 0; i < 2_000; i++) publish(`${i}`);
  const response = await fetch(world.url + target, { headers: { 'last-event-id': String(first) } });
  let [received, sent] = ['', 2_000];
  const collecting = (async () => {
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      received += text;
      for (let i = 0; i < 50 && sent < 4_000; i++) publish(`${sent++}`);
      if (received.includes('"delta":"3999"}}\n\n')) return;
    }
  })();
  await within(10_000, collecting);
  const ids = [...received.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
  assert.equal(
    ids,
    Array.from({ length: 4_000 }, (_, i) => first + 1 + i),
  );
});

streams('a client that leaves frees its cursor', async () => {
  const stop = new AbortController();
  const response = await fetch(world.url + target, { signal: stop.signal });
  assert.is(response.status, 200);
  const open = world.cursors.open;
  stop.abort();
  await eventually(2_000, () => world.cursors.open === open - 1);
});

streams('a client that never reads is given no more than its socket holds, and slows nobody', async () => {
  const stalled = connect(world.listening.port, '127.0.0.1');
  stalled.pause();
  stalled.write(`GET ${target} HTTP/1.1\r\n${host}\r\n`);
  const open = world.cursors.open;
  await eventually(2_000, () => world.cursors.open > open);
  const stalledIndex = world.cursors.taken.length - 1;
  const reading = await fetch(`${world.url}${target}`);
  let seen = 0;
  const counting = (async () => {
    for await (const text of reading.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      seen += text.split('\ndata: ').length - 1;
      if (text.includes('"last"')) return;
    }
  })();
  for (let i = 0; i < 100; i++) {
    for (let j = 0; j < 90; j++) publish('x'.repeat(5_000));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  publish('last');
  await within(15_000, counting);
  const taken = world.cursors.taken[stalledIndex] ?? Number.NaN;
  assert.ok(seen > 1_000, `${seen} events`);
  assert.ok(taken < 15_000_000, `took ${taken} of 45,000,000 bytes`);
  stalled.destroy();
});

streams('a heartbeat comes every 15 seconds of the clock', async () => {
  const timers: { ms: number; fn: () => void }[] = [];
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    after(ms: number, fn: () => void) {
      const timer = { ms, fn };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  };
  const own = await start(root, 'none', clock);
  const response = await fetch(own.url + target);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  await within(2_000, reader?.read());
  for (let i = 0; i < 3; i++) {
    const timer = timers.find(({ ms }) => ms === 15_000);
    assert.ok(timer);
    timers.splice(timers.indexOf(timer), 1);
    timer.fn();
    assert.is((await within(2_000, reader?.read()))?.value, ': ping\n\n');
  }
  await reader?.cancel();
  const closing = own.listening.close(0);
  for (const { ms, fn } of [...timers]) if (ms === 0) fn();
  await within(2_000, closing);
});

streams('closing the service ends the streams, then the connections', async () => {
  const own = await start(root);
  const response = await fetch(own.url + target);
  const text = response.text();
  await within(2_000, own.listening.close());
  assert.is(await within(2_000, text), 'retry: 3000\n\n');
  assert.is(own.cursors.open, 0);
});

streams('a stream without a credential is 401 with the CORS headers', async () => {
  const own = await start(root, 'token');
  const response = await fetch(own.url + target);
  assert.is(response.status, 401);
  assert.is(response.headers.get('access-control-allow-origin'), '*');
  assert.is(response.headers.get('cache-control'), 'no-store');
  await response.text();
  await own.listening.close();
});

streams('HEAD on a stream ends at once and leaves no cursor', async () => {
  const open = world.cursors.open;
  const head = await fetch(world.url + target, { method: 'HEAD' });
  assert.is(head.status, 200);
  assert.is(head.headers.get('content-length'), null);
  assert.is(world.cursors.open, open);
});
streams.run();
