import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createProxy } from '../../public/sandbox/proxy.ts';
import { eventually, within } from '../helpers/within.ts';

interface Fixture {
  server: Server;
  /** What the service answers, by path. */
  routes: Record<string, RequestListener>;
  asked: string[];
  now: { ms: number };
  call(path: string, fields?: object): ReturnType<ReturnType<typeof createProxy>>;
}

const test = suite<Fixture>('`request` is proxied by the console, which attaches the bearer token');

test.before.each(async (fixture) => {
  const routes: Record<string, RequestListener> = {};
  const asked: string[] = [];
  const now = { ms: 0 };
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const listener = routes[request.url ?? ''];
    if (listener) return listener(request, response);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ authorization: request.headers.authorization, method: request.method }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy = createProxy({
    plugin: 'reports',
    api: ['GET /api/**', 'HEAD /api/**', 'POST /api/**'],
    base: `http://127.0.0.1:${port}/`,
    token: () => 'the-token',
    fetch,
    now: () => now.ms,
    refused: () => undefined,
  });
  let id = 0;
  const call = (path: string, fields = {}) =>
    proxy({ t: 'req', id: ++id, path, method: 'GET', headers: {}, ...fields });
  Object.assign(fixture, { server, routes, asked, now, call });
});
test.after.each(({ server }) => {
  server.closeAllConnections();
  server.close();
});

test('the promise resolves with parsed JSON', async ({ call }) => {
  const answer = await call('/api/x', { headers: { authorization: 'Bearer stolen' } });
  assert.equal(answer.ok && answer.body, { authorization: 'Bearer the-token', method: 'GET' });
});

test('an answer without a body is undefined', async ({ call, routes }) => {
  routes['/api/none'] = (_, response) => response.writeHead(204).end();
  const answer = await call('/api/none', { method: 'POST' });
  assert.equal([answer.ok, answer.ok && answer.body], [true, undefined]);
  assert.ok((await call('/api/x', { method: 'HEAD' })).ok);
});

test('non-2xx rejects with the API message', async ({ call, routes }) => {
  routes['/api/missing'] = (_, response) => {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { code: 'session_not_found', message: 'There is no such session.' } }));
  };
  const answer = await call('/api/missing');
  assert.equal(answer, {
    t: 'res',
    id: 1,
    ok: false,
    status: 404,
    code: 'session_not_found',
    message: 'There is no such session.',
  });
});

test('what is not JSON is given up at once: an event stream, and what only calls itself JSON', async ({
  call,
  routes,
}) => {
  let closed = 0;
  routes['/api/events'] = (_, response) => {
    response.once('close', () => closed++);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
  };
  routes['/api/lies'] = (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('<p>');
  assert.match(messageOf(await within(5_000, call('/api/events'))), /JSON only/);
  await eventually(5_000, () => closed === 1, 'the end of the stream');
  assert.not.ok((await call('/api/lies')).ok);
});

test('an answer over 5 MB is given up', async ({ call, routes }) => {
  let sent = 0;
  routes['/api/large'] = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (!response.destroyed && sent < 50_000_000) {
        sent += 100_000;
        if (!response.write(`"${'x'.repeat(99_998)}"`)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  };
  routes['/api/fits'] = (_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(4_999_998)}"`);
  assert.match(messageOf(await within(20_000, call('/api/large'))), /too large/);
  assert.ok(sent < 50_000_000);
  assert.ok((await call('/api/fits')).ok);
});

test('redirects are not followed, wherever they lead', async ({ call, routes, asked }) => {
  for (const location of ['/api/x', 'http://127.0.0.1:9/'])
    routes['/api/elsewhere'] = (_, response) => response.writeHead(302, { location }).end();
  assert.not.ok((await call('/api/elsewhere')).ok);
  assert.equal(asked, ['/api/elsewhere']);
});

test('six calls at once, thirty in ten seconds', async ({ call, routes, now, asked }) => {
  const waiting: (() => void)[] = [];
  routes['/api/slow'] = (_, response) =>
    waiting.push(() => response.setHeader('content-type', 'application/json').end('1'));
  const six = Array.from({ length: 6 }, () => call('/api/slow'));
  await eventually(5_000, () => waiting.length === 6, 'six calls');
  assert.match(messageOf(await call('/api/x')), /too many calls/);
  for (const answer of waiting) answer();
  assert.ok((await Promise.all(six)).every(({ ok }) => ok));
  for (let at = 6; at < 30; at++) assert.ok((await call('/api/x')).ok, `call ${at}`);
  assert.match(messageOf(await call('/api/x')), /too many calls/);
  assert.is(asked.length, 30);
  now.ms = 10_000;
  assert.ok((await call('/api/x')).ok);
});

test('an unreachable service is an answer, too', async ({ call, server }) => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  assert.not.ok((await call('/api/x')).ok);
});

function messageOf(answer: Awaited<ReturnType<Fixture['call']>>): string {
  return answer.ok ? 'it succeeded' : answer.message;
}

test.run();
