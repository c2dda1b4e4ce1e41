import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isGeneratedToken } from '../../lib/auth/tokens.ts';
import { bearer, bootstrapToken, outcome, startAuth } from './start-auth.ts';

const ip = '192.0.2.1';
const plain = (path = '/api/sessions', init?: RequestInit) => new Request(`http://127.0.0.1${path}`, init);

const none = suite('Mode none: no authentication, every session belongs to tenant default');

none('anyone is administrator of tenant default', async () => {
  const { auth } = await startAuth();
  const caller = await auth.authenticate(plain(), ip);
  assert.equal({ ...caller }, { kind: 'anonymous', tenantId: 'default', admin: true });
  assert.is(auth.tenantName('default'), 'Default');
});

none('a credential sent along is not looked at', async () => {
  const { auth } = await startAuth();
  assert.is((await auth.authenticate(bearer('whatever'), ip)).kind, 'anonymous');
});

none('explicit none beats server.token', async () => {
  const { auth } = await startAuth({ mode: 'none', token: 'operator-token' });
  assert.is((await auth.authenticate(plain(), ip)).kind, 'anonymous');
});

none('a bind that others can reach is warned about loudly; loopback is not', async () => {
  assert.match((await startAuth({ host: '0.0.0.0' })).lines.join(), /WARN .*ANYONE/);
  for (const host of ['127.0.0.1', 'localhost', '::1', '127.8.8.8'])
    assert.equal((await startAuth({ host })).lines, [], host);
});

none('no file is made before a user route asks', async () => {
  const { auth, accountsFile } = await startAuth();
  await auth.authenticate(plain(), ip);
  await auth.close();
  assert.not(existsSync(accountsFile));
});

none.run();

const token = suite('Mode token: one operator token, tenant default');
const operator = 'operator-token-0123456789';

const cells: [name: string, request: () => Request, expected: string][] = [
  ['the token', () => bearer(operator), 'accepted'],
  [
    'the scheme in another case',
    () => plain('/api/x', { headers: { authorization: `bearer ${operator}` } }),
    'accepted',
  ],
  ['no token', () => plain(), 'unauthorized'],
  ['a wrong token', () => bearer('operator-token-012345678X'), 'unauthorized'],
  ['a prefix of the token', () => bearer(operator.slice(0, -1)), 'unauthorized'],
  ['the token and more', () => bearer(`${operator}0`), 'unauthorized'],
  ['an empty token', () => plain('/api/x', { headers: { authorization: 'Bearer ' } }), 'unauthorized'],
  ['another scheme', () => plain('/api/x', { headers: { authorization: `Basic ${operator}` } }), 'unauthorized'],
  ['the token without a scheme', () => plain('/api/x', { headers: { authorization: operator } }), 'unauthorized'],
  ['a query token on GET', () => plain(`/api/events?token=${operator}`), 'accepted'],
  ['a query token on HEAD', () => plain(`/api/events?token=${operator}`, { method: 'HEAD' }), 'accepted'],
  ['a wrong query token on GET', () => plain('/api/events?token=nonsense'), 'unauthorized'],
  ['a query token on POST', () => plain(`/api/sessions?token=${operator}`, { method: 'POST' }), 'unauthorized'],
  ['a query token on DELETE', () => plain(`/api/x?token=${operator}`, { method: 'DELETE' }), 'unauthorized'],
  [
    'a wrong header beside a right query token',
    () => bearer('wrong-token', `/api/x?token=${operator}`),
    'unauthorized',
  ],
];

for (const [name, request, expected] of cells)
  token(`${name}: ${expected}`, async () => {
    const { auth } = await startAuth({ token: operator });
    assert.is(await outcome(auth.authenticate(request(), ip)), expected);
  });

token('the operator is administrator of tenant default', async () => {
  const { auth } = await startAuth({ token: operator });
  const caller = await auth.authenticate(bearer(operator), ip);
  assert.equal({ ...caller }, { kind: 'operator', tenantId: 'default', admin: true });
});

token('an encoded query token is decoded', async () => {
  const { auth } = await startAuth({ token: 'a+b&c/d=e f' });
  const query = encodeURIComponent('a+b&c/d=e f');
  assert.is(await outcome(auth.authenticate(plain(`/api/events?token=${query}`), ip)), 'accepted');
});

token('a token that is not ASCII is accepted as a client sends it: as UTF-8', async () => {
  const { auth } = await startAuth({ token: 'tökén-ß' });
  const header = Buffer.from('tökén-ß', 'utf8').toString('latin1');
  assert.is(await outcome(auth.authenticate(bearer(header), ip)), 'accepted');
  assert.is(await outcome(auth.authenticate(bearer('t\xf6k\xe9n'), ip)), 'unauthorized');
});

token('a refusal says what is needed and nothing of what was sent', async () => {
  const { auth, lines } = await startAuth({ token: operator });
  const error: unknown = await auth.authenticate(bearer('canary-wrong'), ip).catch((thrown: unknown) => thrown);
  assert.is(Reflect.get(Object(error), 'status'), 401);
  assert.is(Reflect.get(Object(error), 'headers')['www-authenticate'], 'Bearer');
  assert.not.match(`${error}${lines}`, 'canary');
});

token.run();

const automatic = suite('server.token "auto": generated once, kept for this user only, reused');

automatic('the first start issues the token, later ones find it', async () => {
  const first = await startAuth({ token: 'auto' });
  const issued = first.auth.issuedToken ?? '';
  assert.ok(isGeneratedToken(issued));
  assert.is(await outcome(first.auth.authenticate(bearer(issued), ip)), 'accepted');
  assert.is(await outcome(first.auth.authenticate(bearer('auto'), ip)), 'unauthorized');
  assert.is(first.secrets.redact(issued), '[redacted]');

  const path = join(first.directory, 'token');
  assert.is(readFileSync(path, 'utf8').trim(), issued);
  assert.is(statSync(path).mode & 0o777, 0o600);

  const second = await startAuth({ token: 'auto', directory: first.directory });
  assert.is(second.auth.issuedToken, undefined);
  assert.is(await outcome(second.auth.authenticate(bearer(issued), ip)), 'accepted');
});

automatic('a token file that others may read is closed to them', async () => {
  const { directory } = await startAuth({ token: 'auto' });
  const path = join(directory, 'token');
  writeFileSync(path, 'kept-token-of-mine\n', { mode: 0o644 });
  const { auth } = await startAuth({ token: 'auto', directory });
  assert.is(await outcome(auth.authenticate(bearer('kept-token-of-mine'), ip)), 'accepted');
  assert.is(statSync(path).mode & 0o777, 0o600);
});

automatic('mode accounts ignores it', async () => {
  const { directory } = await startAuth({ mode: 'accounts', token: 'auto', bootstrap: bootstrapToken });
  assert.not(existsSync(join(directory, 'token')));
});

automatic.run();

const switching = suite('User routes in modes none and token have no effect until the mode changes');

switching('a user made in mode none signs in once the mode is accounts', async () => {
  const before = await startAuth();
  const admin = await before.auth.createUser({ name: 'Ada', role: 'admin' });
  await before.auth.createTenant({ name: 'Acme' });
  const alice = await before.auth.createUser({ name: 'Alice', tenantId: 'acme' });
  assert.is((await before.auth.authenticate(bearer(alice.token), ip)).kind, 'anonymous');

  const after = await startAuth({ mode: 'accounts', directory: before.directory });
  assert.is((await after.auth.authenticate(bearer(alice.token), ip)).tenantId, 'acme');
  assert.ok((await after.auth.authenticate(bearer(admin.token), ip)).admin);
});

switching('in mode token a user token is just a wrong token', async () => {
  const { auth } = await startAuth({ token: operator });
  const { token: userToken } = await auth.createUser({ name: 'Ada', role: 'admin' });
  assert.is(await outcome(auth.authenticate(bearer(userToken), ip)), 'unauthorized');
});

switching.run();
