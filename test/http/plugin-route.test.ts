import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PluginRoute, PluginRouteRequest } from '../../lib/plugin-api/services.ts';
import { ServiceError } from '../../lib/wire/errors.ts';
import { errorOf } from '../helpers/invoke.ts';
import { withRoutes } from './with-routes.ts';

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

plugin('a route for administrators is 403 to everybody else, before the body is read', async () => {
  const route: PluginRoute = { method: 'POST', path: '/api/acme/all', admin: true, handler: () => ({ body: 'all' }) };
  const { call } = withRoutes([route], { mode: 'accounts' });
  const ask = (token: string) =>
    call('/api/acme/all', { method: 'POST', body: '{', headers: { authorization: `Bearer ${token}` } });
  const refused = await ask('alice');
  assert.equal([refused.status, (await errorOf(refused)).code], [403, 'forbidden']);
  assert.is((await errorOf(await ask('admin'))).code, 'invalid_json');
  assert.is((await call('/api/acme/all', { method: 'POST' })).status, 401);
  assert.throws(() => withRoutes([{ ...route, public: true }]), /choose between public and admin/);
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

plugin('another method is 405 without a credential where the path has a public route, 401 elsewhere', async () => {
  const handler = () => undefined;
  const { call } = withRoutes(
    [
      { method: 'POST', path: '/api/acme/hook', public: true, handler },
      { method: 'POST', path: '/api/acme/private', handler },
    ],
    { mode: 'token' },
  );
  const probe = await call('/api/acme/hook');
  assert.equal([probe.status, probe.headers.get('allow')], [405, 'POST, OPTIONS']);
  assert.is((await call('/api/acme/hook', { method: 'HEAD' })).status, 405);
  assert.is((await call('/api/acme/private')).status, 401);
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

plugin(
  'a private route is 401 once the credential has died while the body came, a public one asks for none',
  async () => {
    const called: string[] = [];
    const route = (path: string, isPublic: boolean): PluginRoute => ({
      method: 'POST',
      path,
      public: isPublic,
      handler: () => void called.push(path),
    });
    const { app, call } = withRoutes([route('/api/acme', false), route('/api/hooks/h', true)], { mode: 'accounts' });
    const ask = (path: string) =>
      call(path, { method: 'POST', body: '{}', headers: { authorization: 'Bearer alice' } });
    assert.is((await ask('/api/acme')).status, 200);
    app.auth.isValid = () => false;
    const refused = await ask('/api/acme');
    assert.equal([refused.status, (await errorOf(refused)).code], [401, 'unauthorized']);
    assert.is((await ask('/api/hooks/h')).status, 200);
    assert.equal(called, ['/api/acme', '/api/hooks/h']);
  },
);

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
