import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { createRouter } from '../../lib/http/router.ts';
import { type FakeAppOptions, fakeApp } from '../helpers/fake-app.ts';
import { errorOf, invoke } from '../helpers/invoke.ts';

const signal = new AbortController().signal;
const handlers = [
  endpoint('GET /api/health', { access: 'public', handle: () => json({}) }),
  endpoint('GET /api/sessions', { access: 'user', handle: () => json({ sessions: [] }) }),
];
const ask = (headers: Record<string, string>, options: FakeAppOptions = {}, path = '/api/sessions', method = 'GET') =>
  invoke(createRouter(handlers, fakeApp(options).app), { signal }, path, { headers, method });

const guard = suite('Cross-site guard: pages of other sites cannot use a service without a credential');

const foreign = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' };
const table: [string, Record<string, string>, FakeAppOptions, number][] = [
  ['no browser headers', {}, {}, 200],
  ['localhost', { host: 'localhost:7331' }, {}, 200],
  ['an address', { host: '192.168.1.5:7331' }, {}, 200],
  ['an IPv6 address', { host: '[::1]:7331' }, {}, 200],
  ['a plain name', { host: 'devbox:7331' }, {}, 200],
  ['a name below localhost', { host: 'app.localhost:7331' }, {}, 200],
  ['a name that only looks like it', { host: 'localhost.evil.test:7331' }, {}, 403],
  ['a rebound name on a bind below localhost', { host: 'evil.test' }, { server: { host: 'app.localhost' } }, 403],
  ['a rebound name on a mapped loopback bind', { host: 'evil.test' }, { server: { host: '::ffff:127.0.0.1' } }, 403],
  ['a rebound name', { host: 'evil.test:7331' }, {}, 403],
  ['a rebound name with a final dot', { host: 'evil.test.' }, {}, 403],
  ['a name that is allowed', { host: 'Box.local:7331' }, { server: { allowedHosts: ['box.local'] } }, 200],
  ['a name on a public bind', { host: 'box.example' }, { server: { host: '0.0.0.0' } }, 200],
  ['a foreign page', foreign, {}, 403],
  ['a foreign page on a public bind', foreign, { server: { host: '0.0.0.0' } }, 403],
  ['an opaque origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }, {}, 403],
  ['a page on this machine', { origin: 'http://localhost:3000', 'sec-fetch-site': 'cross-site' }, {}, 200],
  ['a page below localhost', { origin: 'http://app.localhost:3000', 'sec-fetch-site': 'cross-site' }, {}, 200],
  ['a page on a mapped address', { origin: 'http://[::ffff:127.0.0.1]', 'sec-fetch-site': 'cross-site' }, {}, 200],
  ['a page of localhost.evil.test', { origin: 'http://localhost.evil.test', 'sec-fetch-site': 'cross-site' }, {}, 403],
  ['a page of the service itself', { origin: 'http://127.0.0.1:7331', 'sec-fetch-site': 'same-origin' }, {}, 200],
  ['an Origin without fetch metadata', { origin: 'https://evil.test' }, {}, 200],
  ['corsOrigins set by the operator', foreign, { server: { corsOriginsExplicit: true } }, 200],
  ['the guard switched off', { ...foreign, host: 'evil.test' }, { server: { crossSiteGuard: 'off' } }, 200],
  [
    'a mode with credentials',
    { ...foreign, host: 'evil.test', authorization: 'Bearer alice' },
    { mode: 'accounts' },
    200,
  ],
];
for (const [name, headers, options, status] of table) {
  guard(`${name}: ${status}`, async () => {
    const response = await ask(headers, options);
    assert.is(response.status, status);
    if (status === 403) assert.match((await errorOf(response)).message, 'server.');
  });
}

guard('health and preflights are exempt', async () => {
  const headers = { ...foreign, host: 'evil.test' };
  assert.is((await ask(headers, {}, '/api/health')).status, 200);
  assert.is((await ask(headers, {}, '/api/sessions', 'OPTIONS')).status, 204);
});
guard.run();

const cors = suite('CORS: every API answer says who may read it');

cors('any origin by default, never with credentials', async () => {
  const response = await ask({ origin: 'https://app.test' });
  assert.is(response.headers.get('access-control-allow-origin'), '*');
  assert.is(response.headers.get('access-control-allow-credentials'), null);
});

cors('listed origins are echoed, others get none; caches are told', async () => {
  const options = { server: { corsOrigins: ['https://app.test'], corsOriginsExplicit: true } };
  const listed = await ask({ origin: 'https://app.test' }, options);
  assert.is(listed.headers.get('access-control-allow-origin'), 'https://app.test');
  assert.is(listed.headers.get('vary'), 'origin');
  const other = await ask({ origin: 'https://evil.test' }, options);
  assert.is(other.headers.get('access-control-allow-origin'), null);
});

cors('errors carry it too', async () => {
  for (const path of ['/api/nothing', '/api/sessions'])
    assert.is((await ask({}, { mode: 'token' }, path)).headers.get('access-control-allow-origin'), '*');
});
cors.run();
