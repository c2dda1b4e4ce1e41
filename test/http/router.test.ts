import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AuthMode } from '../../lib/auth/principal.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { createRouter } from '../../lib/http/router.ts';
import { CreateSessionRequest } from '../../lib/wire/requests.ts';
import { type FakeAppOptions, fakeApp } from '../helpers/fake-app.ts';
import { errorOf, invoke } from '../helpers/invoke.ts';

const signal = new AbortController().signal;
const as = (token: string) => ({ authorization: `Bearer ${token}` });

function service(mode: AuthMode, options: FakeAppOptions = {}) {
  const { app, logged } = fakeApp({ mode, sessions: { a: ['ses_1'] }, ...options });
  const handlers = [
    endpoint('GET /api/health', { access: 'public', handle: () => json({ status: 'ok' }) }),
    endpoint('GET /api/users', { access: 'admin', handle: () => json({ users: [] }) }),
    endpoint('POST /api/sessions', {
      access: 'user',
      body: CreateSessionRequest,
      handle: ({ body, principal }) => json({ title: body.title ?? null, tenant: principal.tenantId }, 201),
    }),
    endpoint('GET /api/sessions/:id', {
      access: 'user',
      session: true,
      handle: ({ session }) => json({ id: session.id }),
    }),
    endpoint('DELETE /api/sessions/:id', {
      access: 'user',
      session: true,
      handle() {
        throw new Error('the secret reason');
      },
    }),
    endpoint('GET /*', { access: 'public', handle: () => new Response('console') }),
  ];
  const router = createRouter(handlers, app);
  const call = (path: string, init?: RequestInit) => invoke(router, { signal }, path, init);
  return { app, call, handlers, logged };
}

const routes = suite('Router: a path leads to the handler that owns it');

routes('a literal path, a parameter and the catch-all', async () => {
  const { call } = service('none');
  assert.equal(await (await call('/api/health')).json(), { status: 'ok' });
  assert.is(await (await call('/anything')).text(), 'console');
  assert.is((await call('/api/sessions/ses_1')).status, 404);
});

routes('an unknown API path is 404 not_found, a known one with another method 405 with Allow', async () => {
  const { call } = service('none');
  assert.equal((await errorOf(await call('/api/nothing'))).code, 'not_found');
  assert.equal((await errorOf(await call('/api'))).code, 'not_found');
  const response = await call('/api/sessions/ses_1', { method: 'POST', body: '{}' });
  assert.is(response.headers.get('allow'), 'GET, DELETE, HEAD, OPTIONS');
  assert.equal((await errorOf(response)).code, 'method_not_allowed');
});

routes('static files answer GET and HEAD only', async () => {
  const { call } = service('none');
  const wrong = await call('/x', { method: 'POST', body: '{}' });
  assert.is(wrong.headers.get('allow'), 'GET, HEAD, OPTIONS');
  assert.equal((await errorOf(wrong)).code, 'method_not_allowed');
  assert.is((await call('/x', { method: 'HEAD' })).status, 200);
});

routes('HEAD answers like GET without a body', async () => {
  const { call } = service('none');
  const response = await call('/api/health', { method: 'HEAD' });
  assert.is(response.status, 200);
  assert.is(response.headers.get('content-length'), '15');
  assert.is(await response.text(), '');
});

routes('OPTIONS answers 204 without a credential', async () => {
  const { call } = service('token');
  const response = await call('/api/sessions', { method: 'OPTIONS' });
  assert.is(response.status, 204);
  assert.is(response.headers.get('access-control-allow-methods'), 'GET, POST, PATCH, DELETE');
  assert.is(
    response.headers.get('access-control-allow-headers'),
    'authorization, content-type, last-event-id, x-service-hook-secret',
  );
});

routes('mounting a method and path twice fails at once', () => {
  const { app, handlers } = service('none');
  assert.throws(() => createRouter([...handlers, ...handlers.slice(0, 1)], app), /mounted twice/);
});

routes('a path that cannot be one is 400 bad_path', async () => {
  const { call } = service('none');
  for (const id of ['%zz', '%E0%A4%A', 'a%00b', 'x'.repeat(5000)])
    assert.equal((await errorOf(await call(`/api/sessions/${id}`))).code, 'bad_path', id);
});
routes.run();

const access = suite('Access: who may call what');

access('a protected mode answers 401 to everyone without a credential, on unknown paths too', async () => {
  const { call } = service('accounts');
  for (const path of ['/api/sessions/ses_1', '/api/nothing', '/api/users'])
    assert.equal(await errorOf(await call(path)).then(({ status, code }) => [status, code]), [401, 'unauthorized']);
  assert.is((await call('/api/health')).status, 200);
});

access('administrator routes are 403 for others', async () => {
  const { call } = service('accounts');
  assert.is((await errorOf(await call('/api/users', { headers: as('alice') }))).code, 'forbidden');
  assert.is((await call('/api/users', { headers: as('admin') })).status, 200);
});

access('a session of another tenant answers exactly as one that does not exist', async () => {
  const { call } = service('accounts');
  assert.is((await call('/api/sessions/ses_1', { headers: as('alice') })).status, 200);
  const theirs = await call('/api/sessions/ses_1', { headers: as('bob') });
  const none = await call('/api/sessions/ses_2', { headers: as('bob') });
  assert.is(theirs.status, 404);
  assert.is(await theirs.text(), await none.text());
});

access('the credential comes before the body', async () => {
  const { call } = service('accounts');
  const response = await call('/api/sessions', { method: 'POST', body: '{"title":7}' });
  assert.is(response.status, 401);
});
access.run();

const failures = suite('Errors: the envelope and nothing else');

failures('an unexpected error is a generic 500 that is never cached', async () => {
  const { call, logged } = service('accounts');
  const response = await call('/api/sessions/ses_1', { method: 'DELETE', headers: as('alice') });
  assert.is(response.headers.get('cache-control'), 'no-store');
  assert.is(response.headers.get('access-control-allow-origin'), '*');
  const text = await response.text();
  assert.is(response.status, 500);
  assert.not.match(text, 'secret');
  assert.match(text, 'internal_error');
  assert.match(logged.join(), 'the secret reason');
});

failures('a handler called on its own finds its path and method', async () => {
  const { app, handlers } = service('none', { sessions: { default: ['ses_1'] } });
  const handler = handlers[3];
  if (!handler) throw new Error('no handler');
  assert.equal(await (await invoke(handler, { app, signal }, '/api/sessions/ses_1')).json(), { id: 'ses_1' });
  assert.is((await errorOf(await invoke(handler, { app, signal }, '/api/other'))).code, 'not_found');
  const post = await invoke(handler, { app, signal }, '/api/sessions/ses_1', { method: 'POST' });
  assert.is((await errorOf(post)).code, 'method_not_allowed');
});
failures.run();
