import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { IssuedToken, Tenant, User } from '../../lib/wire/identity.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { withApp } from '../helpers/with-app.ts';

const bootstrapToken = 'a-long-bootstrap-token-for-tests';
const accounts = { env: { SERVICE_AUTH_MODE: 'accounts', SERVICE_BOOTSTRAP_TOKEN: bootstrapToken } };
const as = (token: string) => ({ authorization: `Bearer ${token}` });
const admin = as(bootstrapToken);

function createUser(app: TestApp, body: object): Promise<IssuedToken> {
  return app.call<IssuedToken>('POST', '/api/users', { status: 201, headers: admin, body });
}

const routes = suite('User and tenant management routes are for administrators');

routes('a tenant, its user, and what the user may see', () =>
  withApp(accounts, async (app) => {
    const made = { status: 201, headers: admin, body: { name: 'Acme' } };
    const { tenant } = await app.call<{ tenant: Tenant }>('POST', '/api/tenants', made);
    const { user, token } = await createUser(app, { name: 'Ada', tenantId: tenant.id });
    assert.equal(await app.call('GET', '/api/auth/me', { headers: as(token) }), {
      mode: 'accounts',
      user: { id: user.id, name: 'Ada', role: 'user' },
      tenant: { id: 'acme', name: 'Acme' },
    });
    for (const [method, path] of [
      ['GET', '/api/users'],
      ['POST', '/api/users'],
      ['POST', `/api/users/${user.id}/token`],
      ['DELETE', `/api/users/${user.id}`],
      ['GET', '/api/tenants'],
      ['POST', '/api/tenants'],
    ] as const) {
      await app.call(method, path, { status: 403, headers: as(token) });
      await app.call(method, path, { status: 401 });
    }
  }),
);

routes('lists carry no token and no hash', () =>
  withApp(accounts, async (app) => {
    await createUser(app, { name: 'Ada', role: 'admin' });
    const { users } = await app.call<{ users: User[] }>('GET', '/api/users', { headers: admin });
    assert.equal(
      users.map(({ name, role }) => [name, role]),
      [
        ['Admin', 'admin'],
        ['Ada', 'admin'],
      ],
    );
    assert.not.match(JSON.stringify(users), /svc_|scrypt|token/i);
  }),
);

routes('rotation answers 200 with a new token, deletion 204', () =>
  withApp(accounts, async (app) => {
    const { user, token } = await createUser(app, { name: 'Ada' });
    const rotated = await app.call<IssuedToken>('POST', `/api/users/${user.id}/token`, { headers: admin });
    await app.call('GET', '/api/auth/me', { status: 401, headers: as(token) });
    await app.call('GET', '/api/auth/me', { headers: as(rotated.token) });
    await app.call('DELETE', `/api/users/${user.id}`, { status: 204, headers: admin });
    await app.call('GET', '/api/auth/me', { status: 401, headers: as(rotated.token) });
    await app.call('DELETE', `/api/users/${user.id}`, { status: 404, headers: admin });
  }),
);

routes('rotation ends the streams that the old token opened', () =>
  withApp(accounts, async (app) => {
    const { user, token } = await createUser(app, { name: 'Ada' });
    const stream = await app.fetch(`/api/events?token=${token}`);
    assert.is(stream.status, 200);
    await app.call('POST', `/api/users/${user.id}/token`, { headers: admin });
    assert.type(await stream.text(), 'string');
  }),
);

for (const body of [{}, { name: 5 }, { name: '' }, { name: 'Ada', role: 'boss' }, { name: 'Ada', tenantId: 5 }])
  routes(`${JSON.stringify(body)} makes no user`, () =>
    withApp(accounts, async (app) => {
      const answer = await app.call<{ error: { code: string } }>('POST', '/api/users', {
        status: 400,
        headers: admin,
        body,
      });
      assert.is(answer.error.code, 'invalid_body');
    }),
  );

routes('the last administrator stays: 409', () =>
  withApp(accounts, async (app) => {
    const { users } = await app.call<{ users: User[] }>('GET', '/api/users', { headers: admin });
    await app.call('DELETE', `/api/users/${users[0]?.id}`, { status: 409, headers: admin });
  }),
);

routes.run();

const open = suite('GET /api/auth/me and /api/config in the other modes');

open('mode none: nobody in particular, tenant default', () =>
  withApp({}, async (app) => {
    const nobody = { user: null, tenant: { id: 'default', name: 'Default' } };
    assert.equal(await app.call('GET', '/api/auth/me', {}), { mode: 'none', ...nobody });
  }),
);

open('mode token: the operator, and a configuration without the token', () =>
  withApp({ env: { SERVICE_TOKEN: 'canary-operator' } }, async (app) => {
    const headers = as('canary-operator');
    const nobody = { user: null, tenant: { id: 'default', name: 'Default' } };
    assert.equal(await app.call('GET', '/api/auth/me', { headers }), { mode: 'token', ...nobody });
    const config = await app.call('GET', '/api/config', { headers });
    assert.not.match(JSON.stringify(config), 'canary');
    await app.call('GET', '/api/config', { status: 401 });
  }),
);

open.run();
