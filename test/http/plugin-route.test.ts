import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { createRouter } from '../../lib/http/router.ts';
import type { PluginRoute, PluginRouteRequest } from '../../lib/plugin-api/services.ts';
import { ServiceError } from '../../lib/wire/errors.ts';
import { type FakeAppOptions, fakeApp } from '../helpers/fake-app.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { errorOf, invoke } from '../helpers/invoke.ts';
import { within } from '../helpers/within.ts';

const signal = new AbortController().signal;
const handlers = [endpoint('GET /api/health', { access: 'public', handle: () => json({}) })];

function withRoutes(routes: PluginRoute[], options: FakeAppOptions = {}) {
  const { app, logged } = fakeApp(options);
  const undo = routes.map((route) => app.routes.register(route, 'acme'));
  const router = createRouter(handlers, app);
  const call = (path: string, init?: RequestInit) => invoke(router, { signal }, path, init);
  return { app, call, undo, logged };
}

const plugin = suite('Plugin routes: the rules of the built-in ones');

plugin('the handler gets params, query, body, raw body and caller; the default answer is 200 {ok: true}', async () => {
  let seen: PluginRouteRequest | undefined;
  const route: PluginRoute = {
    method: 'POST',
    path: '/api/acme/:thing',
    handler(request) {
      seen = request;
      return undefined;
    },
  };
  const { call } = withRoutes([route], { mode: 'accounts' });
  const response = await call('/api/acme/a%20b?x=1&token=hidden', {
    method: 'POST',
    body: '[1, 2]',
    headers: { authorization: 'Bearer alice' },
  });
  assert.equal([response.status, await response.json()], [200, { ok: true }]);
  assert.equal(seen?.params, { thing: 'a b' });
  assert.equal(seen?.query, { x: '1' });
  assert.equal(seen?.body, [1, 2]);
  assert.is(Buffer.from(seen?.rawBody ?? []).toString(), '[1, 2]');
  assert.is(seen?.principal?.tenantId, 'a');
});

plugin('`?token=` is the service’s own on private routes; a public one may ask for it', async () => {
  const handler: PluginRoute['handler'] = ({ query }) => ({ body: query });
  const { call } = withRoutes([
    { method: 'GET', path: '/api/acme/private', handler },
    { method: 'GET', path: '/api/acme/public', public: true, handler },
  ]);
  assert.equal(await (await call('/api/acme/private?token=t&a=1')).json(), { a: '1' });
  assert.equal(await (await call('/api/acme/public?token=t&a=1')).json(), { token: 't', a: '1' });
});

plugin('status, headers and body are the plugin’s; text with a type of its own stays text', async () => {
  const { call } = withRoutes([
    { method: 'PUT', path: '/api/acme/a', handler: () => ({ status: 202, headers: { 'x-a': '1' }, body: { a: 1 } }) },
    { method: 'GET', path: '/api/acme/b', handler: () => ({ headers: { 'content-type': 'text/plain' }, body: 'hi' }) },
    { method: 'DELETE', path: '/api/acme/a', handler: async () => ({ status: 204 }) },
  ]);
  const put = await call('/api/acme/a', { method: 'PUT' });
  assert.equal([put.status, put.headers.get('x-a'), await put.json()], [202, '1', { a: 1 }]);
  assert.is(await (await call('/api/acme/b')).text(), 'hi');
  assert.is((await call('/api/acme/b', { method: 'HEAD' })).status, 200);
  assert.is((await call('/api/acme/a', { method: 'DELETE' })).status, 204);
  const wrong = await call('/api/acme/a');
  assert.is(wrong.headers.get('allow'), 'PUT, DELETE, OPTIONS');
  assert.is((await errorOf(wrong)).code, 'method_not_allowed');
});

plugin('a header of the plugin replaces the one of the service, however it is spelled', async () => {
  const { call } = withRoutes([
    {
      method: 'GET',
      path: '/api/acme/a',
      handler: () => ({
        headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'max-age=60' },
        body: { a: 1 },
      }),
    },
  ]);
  const { headers } = await call('/api/acme/a');
  assert.is(headers.get('content-type'), 'application/problem+json');
  assert.is(headers.get('cache-control'), 'max-age=60');
});

plugin('what frames the answer on the connection is left to the service', async () => {
  const headers = {
    'Content-Length': '2',
    'Transfer-Encoding': 'gzip',
    connection: 'close',
    trailer: 'x',
    upgrade: 'h2c',
    'x-a': 'b',
  };
  const { call } = withRoutes([
    { method: 'GET', path: '/api/acme/json', handler: () => ({ headers, body: { a: 1 } }) },
    {
      method: 'GET',
      path: '/api/acme/text',
      handler: () => ({ headers: { ...headers, 'content-type': 'text/plain' }, body: 'abc' }),
    },
    { method: 'GET', path: '/api/acme/none', handler: () => ({ status: 204, headers }) },
    {
      method: 'GET',
      path: '/api/acme/error',
      handler: () => Promise.reject(new ServiceError('conflict', 'x', { headers })),
    },
  ]);
  for (const name of ['json', 'text', 'none', 'error']) {
    const response = await call(`/api/acme/${name}`);
    assert.is(response.headers.get('x-a'), 'b', name);
    for (const framing of ['content-length', 'transfer-encoding', 'connection', 'trailer', 'upgrade'])
      assert.is(response.headers.get(framing), null, `${name} ${framing}`);
  }
});

plugin('a status that has no body gets none, whatever the plugin gives', async () => {
  const routes = [204, 205, 304].map(
    (status): PluginRoute => ({
      method: 'GET',
      path: `/api/acme/${status}`,
      handler: () => ({ status, body: { a: 1 } }),
    }),
  );
  const { call } = withRoutes(routes);
  for (const status of [204, 205, 304]) {
    const response = await call(`/api/acme/${status}`);
    assert.equal([response.status, await response.text()], [status, '']);
  }
});

plugin('what is thrown as half a ServiceError is a failure; an error is never cached', async () => {
  const thrown = (fields: object) => () => Promise.reject(Object.assign(new Error('secret'), fields));
  const name = 'ServiceError';
  const { call } = withRoutes([
    { method: 'GET', path: '/api/acme/no-code', handler: thrown({ name, status: 400 }) },
    { method: 'GET', path: '/api/acme/no-status', handler: thrown({ name, code: 'x', status: 'x' }) },
    { method: 'GET', path: '/api/acme/ok-status', handler: thrown({ name, code: 'x', status: 200 }) },
    {
      method: 'GET',
      path: '/api/acme/headers',
      handler: thrown({ name, code: 'x', status: 400, headers: { 'a b': '' } }),
    },
    {
      method: 'GET',
      path: '/api/acme/teapot',
      handler: thrown({ name, code: 'teapot', status: 418, headers: { 'Cache-Control': 'max-age=60', 'X-A': 'b' } }),
    },
  ]);
  for (const path of ['no-code', 'no-status', 'ok-status'])
    assert.equal((await errorOf(await call(`/api/acme/${path}`))).code, 'plugin_route_failed', path);
  assert.equal((await errorOf(await call('/api/acme/headers'))).code, 'internal_error');
  const teapot = await call('/api/acme/teapot');
  assert.is(teapot.headers.get('cache-control'), 'no-store');
  assert.is(teapot.headers.get('x-a'), 'b');
  assert.equal(await errorOf(teapot), { status: 418, code: 'teapot', message: 'secret' });
});

plugin('a failure is 500 plugin_route_failed, isolated and without details; a ServiceError is its answer', async () => {
  const { call, logged } = withRoutes([
    {
      method: 'GET',
      path: '/api/acme/throws',
      handler() {
        throw new Error('secret');
      },
    },
    { method: 'GET', path: '/api/acme/string', handler: () => Promise.reject('secret') },
    { method: 'GET', path: '/api/acme/status', handler: () => ({ status: 42 }) },
    { method: 'GET', path: '/api/acme/refuses', handler: () => Promise.reject(new ServiceError('conflict', 'taken')) },
  ]);
  for (const name of ['throws', 'string', 'status']) {
    const { status, code, message } = await errorOf(await call(`/api/acme/${name}`));
    assert.equal([status, code], [500, 'plugin_route_failed']);
    assert.not.match(message, 'secret');
  }
  assert.match(logged.join(), 'secret');
  assert.equal((await errorOf(await call('/api/acme/refuses'))).code, 'conflict');
});

plugin('an `authorize` that hangs is given up after 30 seconds, and told; the handler is not asked', async () => {
  const clock = createFakeClock();
  const asked: string[] = [];
  let given: AbortSignal | undefined;
  const hang: PluginRoute = {
    method: 'POST',
    path: '/api/acme/hang',
    public: true,
    authorize({ signal }) {
      given = signal;
      return new Promise(() => {});
    },
    handler() {
      asked.push('handler');
      return undefined;
    },
  };
  const { call } = withRoutes([hang], { clock });
  const answer = call('/api/acme/hang', { method: 'POST', body: '{}' });
  while (given === undefined) await new Promise(setImmediate);
  clock.advance(29_999);
  assert.not.ok(given.aborted);
  clock.advance(1);
  assert.is((await errorOf(await within(5_000, answer))).code, 'plugin_route_failed');
  assert.equal([given.aborted, asked, clock.pending], [true, [], 0]);
});

plugin('an asynchronous `authorize` is waited for, and what it throws is the answer', async () => {
  const refuse: PluginRoute = {
    method: 'GET',
    path: '/api/acme/later',
    async authorize() {
      await new Promise(setImmediate);
      throw new ServiceError('unauthorized', 'Wrong signature.');
    },
    handler: () => undefined,
  };
  assert.is((await withRoutes([refuse]).call('/api/acme/later')).status, 401);
});

plugin('a handler that hangs is given up after 30 seconds, and told', async () => {
  const timers: { ms: number; fn: () => void }[] = [];
  const after = (ms: number, fn: () => void) => {
    timers.push({ ms, fn });
    return () => {};
  };
  let given: AbortSignal | undefined;
  const hang: PluginRoute = {
    method: 'GET',
    path: '/api/acme/hang',
    handler(request) {
      given = request.signal;
      return new Promise(() => {});
    },
  };
  const { call } = withRoutes([hang], { clock: { now: () => 0, monotonic: () => 0, after } });
  const answer = call('/api/acme/hang');
  while (timers.length === 0) await new Promise(setImmediate);
  assert.is(timers[0]?.ms, 30_000);
  timers[0]?.fn();
  assert.is((await errorOf(await answer)).code, 'plugin_route_failed');
  assert.ok(given?.aborted);
});

plugin('a private route needs a credential; a public one asks `authorize` before it reads the body', async () => {
  const order: string[] = [];
  const hook: PluginRoute = {
    method: 'POST',
    path: '/api/hooks/:id',
    public: true,
    authorize({ headers, params }) {
      order.push(`authorize ${params.id}`);
      if (headers.get('x-service-hook-secret') !== 's') throw new ServiceError('unauthorized', 'Wrong secret.');
    },
    handler({ principal }) {
      order.push(`handler ${String(principal)}`);
      return { status: 202 };
    },
  };
  const { call } = withRoutes([hook, { ...hook, path: '/api/acme', public: false }], { mode: 'accounts' });
  const denied = await call('/api/hooks/h', { method: 'POST', body: 'not json' });
  assert.is((await errorOf(denied)).code, 'unauthorized');
  const headers = { 'x-service-hook-secret': 's' };
  assert.is((await call('/api/hooks/h', { method: 'POST', headers })).status, 202);
  assert.equal(order, ['authorize h', 'authorize h', 'handler undefined']);
  assert.is((await call('/api/acme', { method: 'POST', headers })).status, 401);
});

plugin('a path that is taken, hidden or not under /api throws at registration; an undo frees it', async () => {
  const handler = () => undefined;
  const { app, call, undo } = withRoutes([{ method: 'GET', path: '/api/acme/:a', handler }]);
  const register = (path: string) => () => app.routes.register({ method: 'GET', path, handler }, 'other');
  assert.throws(register('/api/acme/:b'), /taken by the plugin acme/);
  assert.throws(register('/api/health'), /taken by the service/);
  assert.throws(register('/acme'), /must start with/);
  assert.is((await call('/api/acme/1')).status, 200);
  undo[0]?.();
  assert.is((await call('/api/acme/1')).status, 404);
  register('/api/acme/:b')();
});
plugin.run();
