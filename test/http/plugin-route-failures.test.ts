import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PluginRoute } from '../../lib/plugin-api/services.ts';
import { ServiceError } from '../../lib/wire/errors.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { errorOf } from '../helpers/invoke.ts';
import { within } from '../helpers/within.ts';
import { withRoutes } from './with-routes.ts';

const plugin = suite('Plugin routes: a failure is isolated');

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

plugin('what a handler returns in another form is told to its author: no answer is made up in silence', async () => {
  const odd =
    (value: unknown): PluginRoute['handler'] =>
    () =>
      value as undefined;
  const { call, logged } = withRoutes([
    { method: 'GET', path: '/api/acme/text', handler: odd('hello') },
    { method: 'GET', path: '/api/acme/list', handler: odd([1]) },
    { method: 'GET', path: '/api/acme/response', handler: odd(new Response('hello')) },
    { method: 'GET', path: '/api/acme/data', handler: odd({ orders: [] }) },
    { method: 'GET', path: '/api/acme/empty', handler: odd({}) },
    { method: 'GET', path: '/api/acme/null', handler: odd(null) },
  ]);
  for (const name of ['text', 'list', 'response'])
    assert.is((await errorOf(await call(`/api/acme/${name}`))).code, 'plugin_route_failed', name);
  assert.is(logged.filter((line) => line.includes('must return { status?, headers?, body? }')).length, 3);
  for (const name of ['empty', 'null']) assert.equal(await (await call(`/api/acme/${name}`)).json(), { ok: true });
  assert.is(logged.length, 3);
  assert.equal(await (await call('/api/acme/data')).json(), { ok: true });
  assert.match(logged.join(), /GET \/api\/acme\/data.*"orders".*no status, headers or body/);
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

plugin('an answer of more than 32 MB is a failure that says so; one of 32 MB is sent', async () => {
  const most = 32 * 1024 * 1024;
  const type = { 'content-type': 'text/plain' };
  const { call, logged } = withRoutes([
    { method: 'GET', path: '/api/acme/json', handler: () => ({ body: 'x'.repeat(most - 1) }) },
    { method: 'GET', path: '/api/acme/text', handler: () => ({ headers: type, body: `${'ä'.repeat(most / 2)}.` }) },
    { method: 'GET', path: '/api/acme/bytes', handler: () => ({ headers: type, body: new Uint8Array(most + 1) }) },
    { method: 'GET', path: '/api/acme/fits', handler: () => ({ headers: type, body: new Uint8Array(most) }) },
  ]);
  for (const kind of ['json', 'text', 'bytes'])
    assert.equal(await errorOf(await call(`/api/acme/${kind}`)), {
      status: 500,
      code: 'plugin_route_failed',
      message: 'The plugin `acme` answered with more than 32 MB.',
    });
  assert.is(logged.filter((line) => line.includes(`an answer of ${most + 1} bytes`)).length, 3);
  assert.is((await (await call('/api/acme/fits')).arrayBuffer()).byteLength, most);
});

plugin('a body that is no JSON is a failure', async () => {
  const { call, logged } = withRoutes([{ method: 'GET', path: '/api/acme/code', handler: () => ({ body: () => 1 }) }]);
  assert.is((await errorOf(await call('/api/acme/code'))).code, 'plugin_route_failed');
  assert.match(logged.join(), 'a body of type function is no JSON');
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
plugin.run();
