import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import consoleFile from '../../handlers/static/console.ts';
import { type Listening, serve } from '../../host/serve.ts';
import type { App } from '../../lib/app.ts';
import type { AuthMode } from '../../lib/auth/principal.ts';
import type { EventCursor, Subscription } from '../../lib/events/event-bus.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { lastEventId } from '../../lib/http/last-event-id.ts';
import { json } from '../../lib/http/respond.ts';
import { createRouter } from '../../lib/http/router.ts';
import { eventStream } from '../../lib/http/sse.ts';
import { CreateSessionRequest } from '../../lib/wire/requests.ts';
import { fakeApp } from '../helpers/fake-app.ts';
import { rawRequest } from '../helpers/raw-http.ts';
import { eventually, within } from '../helpers/within.ts';

interface World {
  app: App;
  listening: Listening;
  url: string;
  /** How many cursors are open, and what each one ever opened has given. */
  cursors: { open: number; taken: number[] };
}

let world: World;
let root: string;

const events = endpoint('GET /api/sessions/:id/events', {
  access: 'user',
  handle({ app, request, url, params, principal, signal }) {
    const { tenantId } = principal;
    const cursor = app.events.subscribe({ tenantId, sessionId: params.id, after: lastEventId(request, url) });
    return eventStream({ app, principal, cursor, signal });
  },
});
const handlers = [
  endpoint('GET /api/health', { access: 'public', handle: () => json({ status: 'ok' }) }),
  endpoint('POST /api/sessions', {
    access: 'user',
    body: CreateSessionRequest,
    handle: ({ body }) => json({ title: body.title ?? null }, 201),
  }),
  endpoint('POST /api/wait', {
    access: 'user',
    body: CreateSessionRequest,
    async handle({ signal }) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return json({ aborted: signal.aborted });
    },
  }),
  endpoint('DELETE /api/sessions/:id', { access: 'user', handle: () => new Response(null, { status: 204 }) }),
  events,
  consoleFile,
];

async function start(mode: AuthMode = 'none', clock?: App['clock']): Promise<World> {
  const { app } = fakeApp({ mode, server: { webRoot: root, bodyLimitBytes: 1_000 }, ...(clock ? { clock } : {}) });
  const cursors: World['cursors'] = { open: 0, taken: [] };
  const { subscribe } = app.events;
  app.events.subscribe = (subscription: Subscription): EventCursor => {
    const cursor = subscribe.call(app.events, subscription);
    const { close, take } = cursor;
    const index = cursors.taken.push(0) - 1;
    cursors.open++;
    cursor.take = (maxBytes) => {
      const text = take.call(cursor, maxBytes);
      if (typeof text === 'string') cursors.taken[index] = (cursors.taken[index] ?? 0) + text.length;
      return text;
    };
    cursor.close = () => {
      if (!cursor.ended) cursors.open--;
      close.call(cursor);
    };
    return cursor;
  };
  const listening = await serve(createRouter(handlers, app), app, { host: '127.0.0.1', port: 0 });
  return { app, listening, url: `http://127.0.0.1:${listening.port}`, cursors };
}

async function before() {
  root = await mkdtemp(join(tmpdir(), 'console-'));
  await writeFile(join(root, 'index.html'), '<h1>console</h1>');
  await writeFile(join(root, 'app.js'), 'export {};');
  await writeFile(join(root, '.env'), 'SECRET=1');
  await mkdir(join(root, 'assets'));
  await symlink('/etc/passwd', join(root, 'passwd.txt'));
  world = await start();
}
async function after() {
  await world.listening.close(0);
  await rm(root, { recursive: true });
}
const host = 'Host: localhost\r\n';
const get = (target: string, more = '') =>
  rawRequest(world.listening.port, `GET ${target} HTTP/1.1\r\n${host}Connection: close\r\n${more}\r\n`);
const codeOf = (answer: string) => `${answer.split(' ')[1]} ${/"code":"(\w+)"/.exec(answer)?.[1]}`;

const wire = suite('On the wire: what only a real socket shows');
wire.before(before);
wire.after(after);

wire('JSON goes out in one piece with its length; 204 and HEAD have no body', async () => {
  const response = await fetch(`${world.url}/api/health`);
  assert.is(response.headers.get('content-length'), '15');
  assert.is(response.headers.get('transfer-encoding'), null);
  assert.equal(await response.json(), { status: 'ok' });
  const head = await rawRequest(world.listening.port, `HEAD /api/health HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
  assert.match(head, /content-length: 15/);
  assert.ok(head.endsWith('\r\n\r\n'));
  assert.is((await fetch(`${world.url}/api/sessions/x`, { method: 'DELETE' })).status, 204);
});

wire('the signal of a POST does not abort while the client waits', async () => {
  const response = await fetch(`${world.url}/api/wait`, { method: 'POST', body: '{}' });
  assert.equal(await response.json(), { aborted: false });
});

wire('a body over the limit is 413, declared, chunked or lied about', async () => {
  const big = JSON.stringify({ title: 'x'.repeat(2_000) });
  const post = (headers: string, body: string) =>
    rawRequest(
      world.listening.port,
      `POST /api/sessions HTTP/1.1\r\n${host}Connection: close\r\n${headers}\r\n\r\n${body}`,
      '}}',
    );
  assert.is(codeOf(await post(`Content-Length: ${big.length}`, '')), '413 payload_too_large');
  assert.is(codeOf(await post(`Content-Length: ${big.length}`, big)), '413 payload_too_large');
  const chunks = `${big.length.toString(16)}\r\n${big}\r\n0\r\n\r\n`;
  assert.is(codeOf(await post('Transfer-Encoding: chunked', chunks)), '413 payload_too_large');
  const endless = `${big.length.toString(16)}\r\n${big}\r\n`;
  assert.is(codeOf(await post('Transfer-Encoding: chunked', endless)), '413 payload_too_large');
  const both = await post(`Content-Length: 2\r\nTransfer-Encoding: chunked`, chunks);
  assert.is(codeOf(both), '400 bad_path');
});

wire('a chunked body within the limit is read', async () => {
  const answer = await rawRequest(
    world.listening.port,
    `POST /api/sessions HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\n{"tit\r\n9\r\nle":"Hi"}\r\n0\r\n\r\n`,
  );
  assert.match(answer, '201');
  assert.match(answer, '{"title":"Hi"}');
});

wire('malformed requests get the envelope, never a stack or silence', async () => {
  const send = (bytes: string) => rawRequest(world.listening.port, bytes);
  const close = 'Connection: close\r\n\r\n';
  assert.is(codeOf(await send(`GET / HTTP/1.1\r\n${close}`)), '400 bad_path');
  assert.is(codeOf(await send(`GET / HTTP/1.1\r\n${host}${host}${close}`)), '400 bad_path');
  assert.is(codeOf(await send(`GET / HTTP/1.1\r\nHost: a b\r\n${close}`)), '400 bad_path');
  assert.is(codeOf(await send(`GET / HTTP/1.1\r\nHost: u:p@x\r\n${close}`)), '400 bad_path');
  assert.is(codeOf(await send(`GET http://evil.test/api/health HTTP/1.1\r\n${host}${close}`)), '400 bad_path');
  assert.is(codeOf(await send(`OPTIONS * HTTP/1.1\r\n${host}${close}`)), '400 bad_path');
  assert.is(codeOf(await send(`TRACE /api/health HTTP/1.1\r\n${host}${close}`)), '405 method_not_allowed');
  assert.is(
    codeOf(await send(`GET / HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n${close}`)),
    '413 payload_too_large',
  );
  assert.is(codeOf(await send('GARBAGE\r\n\r\n')), '400 bad_path');
  assert.is(codeOf(await send(`PUT /api/sessions HTTP/1.1\r\n${host}${close}`)), '405 method_not_allowed');
});

wire('traversal is 403 forbidden in every spelling', async () => {
  const targets = ['/../etc/passwd', '/a/../../x', '/%2e%2e/x', '/..%2fx', '/.%2E/x', '/..\\x', '/..%5cx', '/a%5cb'];
  for (const target of [...targets, '/a%00b', '/%2fetc/passwd', '/api/../index.html', '/assets/..'])
    assert.is(codeOf(await get(target)), '403 forbidden', target);
});
wire.run();

const files = suite('Static files: the console, and nothing else of the disk');
files.before(before);
files.after(after);

files('index at the root, types by name, revalidation by ETag', async () => {
  const index = await fetch(world.url);
  assert.is(await index.text(), '<h1>console</h1>');
  assert.is(index.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.is(index.headers.get('x-content-type-options'), 'nosniff');
  assert.is((await fetch(world.url, { method: 'HEAD' })).headers.get('content-length'), '16');
  assert.match((await fetch(`${world.url}/app.js`)).headers.get('content-type') ?? '', /javascript/);
  const etag = index.headers.get('etag') ?? '';
  assert.is((await fetch(world.url, { headers: { 'if-none-match': etag } })).status, 304);
});

files('dotfiles, links that lead outside, directories and unknown names are 404', async () => {
  for (const path of ['/.env', '/passwd.txt', '/assets', '/assets/', '/nope', '/api'])
    assert.is(codeOf(await get(path)), '404 not_found', path);
});
files.run();

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
  const own = await start('none', clock);
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
  const own = await start();
  const response = await fetch(own.url + target);
  const text = response.text();
  await within(2_000, own.listening.close());
  assert.is(await within(2_000, text), 'retry: 3000\n\n');
  assert.is(own.cursors.open, 0);
});

streams('a stream without a credential is 401 with the CORS headers', async () => {
  const own = await start('token');
  const response = await fetch(own.url + target);
  assert.is(response.status, 401);
  assert.is(response.headers.get('access-control-allow-origin'), '*');
  assert.is(response.headers.get('cache-control'), 'no-store');
  await response.text();
  await own.listening.close();
});

streams('HEAD on a stream ends at once and leaves no cursor', async () => {
  const open = world.cursors.open;
  assert.is((await fetch(world.url + target, { method: 'HEAD' })).status, 200);
  assert.is(world.cursors.open, open);
});
streams.run();

const listening = suite('Listening');
listening('a port in use is said in plain words', async () => {
  const own = await start();
  const { app } = fakeApp();
  const again = serve(createRouter([], app), app, { host: '127.0.0.1', port: own.listening.port });
  const error = await again.then(
    () => undefined,
    (failure: Error) => failure,
  );
  assert.match(error?.message ?? '', /in use/);
  await own.listening.close(0);
});
listening.run();
