import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AuthService } from '../../lib/auth/accounts-admin.ts';
import { createToken, isGeneratedToken } from '../../lib/auth/tokens.ts';
import { within } from '../helpers/within.ts';
import { bearer, bootstrapToken, outcome, startAuth, turn } from './start-auth.ts';

const ip = '192.0.2.1';
const signIn = (auth: AuthService, token: string) => outcome(auth.authenticate(bearer(token), ip));
const started = (options = {}) => startAuth({ mode: 'accounts', bootstrap: bootstrapToken, ...options });
/** With one administrator whose token was generated: no test waits for a slow hash that it is not about. */
const settled = async () => {
  const { auth, directory } = await startAuth();
  await auth.createUser({ name: 'First', role: 'admin' });
  return startAuth({ mode: 'accounts', directory });
};
const exitCode = (error: unknown): unknown => Reflect.get(Object(error), 'exitCode');

const first = suite('The first-run administrator is created from auth.bootstrapToken');

first('with the configured name, in tenant default', async () => {
  const { auth } = await started();
  const caller = await within(5_000, auth.authenticate(bearer(bootstrapToken), ip));
  assert.equal([caller.kind, caller.name, caller.tenantId, caller.admin], ['user', 'First', 'default', true]);
  assert.is((await auth.users()).length, 1);
});

first('a later start makes no second one, and the token still works', async () => {
  const { directory } = await started();
  const { auth } = await started({ directory });
  assert.is((await auth.users()).length, 1);
  assert.is(await within(5_000, signIn(auth, bootstrapToken)), 'accepted');
});

first('it works after the token has left the configuration', async () => {
  const { directory } = await started();
  const { auth } = await started({ directory, bootstrap: '' });
  assert.is(await within(5_000, signIn(auth, bootstrapToken)), 'accepted');
  assert.is(await within(5_000, signIn(auth, `${bootstrapToken}X`)), 'unauthorized');
});

first('a rotated bootstrap token stays dead, also after a restart with it still configured', async () => {
  const { auth, directory } = await started();
  assert.is(await signIn(auth, bootstrapToken), 'accepted');
  const [admin] = await auth.users();
  const { token } = await auth.rotateToken(admin?.id ?? '');
  assert.is(await within(5_000, signIn(auth, bootstrapToken)), 'unauthorized');
  const again = await started({ directory });
  assert.is(await within(5_000, signIn(again.auth, bootstrapToken)), 'unauthorized');
  assert.is(await signIn(again.auth, token), 'accepted');
});

first('without users and without a bootstrap token the start ends with exit 78', async () => {
  const error = await startAuth({ mode: 'accounts' }).catch((thrown: unknown) => thrown);
  assert.is(exitCode(error), 78);
  assert.match(String(error), 'auth.bootstrapToken');
});

first('a short bootstrap token is warned about, and not shown', async () => {
  const { lines } = await started({ bootstrap: 'short-canary' });
  assert.match(lines.join(), /WARN .*20 characters/);
  assert.not.match(lines.join(), 'canary');
  assert.not.match((await started()).lines.join(), 'WARN');
});

first.run();

const storage = suite('Accounts are stored hashed, for the owner only');

storage('no token appears in the file; its mode is 0600', async () => {
  const { auth, accountsFile } = await started();
  const { token } = await auth.createUser({ name: 'Ada' });
  const text = readFileSync(accountsFile, 'utf8');
  assert.not.match(text, token);
  assert.not.match(text, bootstrapToken);
  assert.is(statSync(accountsFile).mode & 0o777, 0o600);
});

storage('users, tenants and tokens survive a restart', async () => {
  const { auth, directory } = await settled();
  await auth.createTenant({ id: 'acme', name: 'Acme' });
  const ada = await auth.createUser({ name: 'Ada', tenantId: 'acme' });
  const again = await startAuth({ mode: 'accounts', directory });
  const caller = await again.auth.authenticate(bearer(ada.token), ip);
  assert.equal([caller.tenantId, caller.userId, caller.admin], ['acme', ada.user.id, false]);
  assert.is(again.auth.tenantName('acme'), 'Acme');
  assert.equal(await again.auth.tenants(), await auth.tenants());
});

for (const [name, content] of [
  ['broken', '{"version": 1, "users": ['],
  ['foreign', '{"hello": "world"}'],
] as const)
  storage(`a ${name} file ends the start with exit 78 and is left as it is`, async () => {
    const { directory, accountsFile } = await settled();
    writeFileSync(accountsFile, content);
    const error = await startAuth({ mode: 'accounts', directory }).catch((thrown: unknown) => thrown);
    assert.is(exitCode(error), 78);
    assert.is(readFileSync(accountsFile, 'utf8'), content);
  });

storage('parallel changes are all kept', async () => {
  const { auth, directory } = await settled();
  await Promise.all(Array.from({ length: 20 }, (_, index) => auth.createUser({ name: `User ${index}` })));
  const again = await startAuth({ mode: 'accounts', directory });
  assert.is((await again.auth.users()).length, 21);
});

storage('the last use is written within a minute, not per request', async () => {
  const { auth, clock, accountsFile } = await settled();
  const { user, token } = await auth.createUser({ name: 'Ada' });
  const before = readFileSync(accountsFile, 'utf8');
  await turn(clock, 1_000);
  assert.is(await signIn(auth, token), 'accepted');
  assert.is(readFileSync(accountsFile, 'utf8'), before);
  const lastUsedAt = new Date(clock.now()).toISOString();
  assert.is((await auth.users()).find(({ id }) => id === user.id)?.lastUsedAt, lastUsedAt);
  await turn(clock, 60_000);
  await within(5_000, auth.close());
  assert.match(readFileSync(accountsFile, 'utf8'), lastUsedAt);
});

storage('closing writes the last use', async () => {
  const { auth, accountsFile } = await settled();
  const { token } = await auth.createUser({ name: 'Ada' });
  await signIn(auth, token);
  await within(5_000, auth.close());
  assert.match(readFileSync(accountsFile, 'utf8'), 'lastUsedAt');
});

storage.run();

const tokens = suite('Tokens are recognisable and checked');

tokens('prefix, 32 random bytes, checksum', () => {
  const token = createToken();
  assert.match(token, /^svc_[A-Za-z0-9_-]{49}$/);
  assert.ok(isGeneratedToken(token));
  const swapped = token[10] === 'A' ? 'B' : 'A';
  assert.not(isGeneratedToken(`${token.slice(0, 10)}${swapped}${token.slice(11)}`));
  assert.not(isGeneratedToken('svc_'));
});

tokens('no two are alike', () => {
  assert.is(new Set(Array.from({ length: 1_000 }, createToken)).size, 1_000);
});

tokens('a well-formed token that nobody has is refused', async () => {
  const { auth } = await settled();
  assert.is(await signIn(auth, createToken()), 'unauthorized');
});

tokens('many guesses at once neither get in nor keep a known caller out', async () => {
  const { auth } = await started();
  const { token } = await auth.createUser({ name: 'Ada' });
  const guesses = Array.from({ length: 8 }, (_, index) => signIn(auth, `guess-number-${index}`));
  assert.is(await signIn(auth, token), 'accepted');
  assert.equal(new Set(await within(20_000, Promise.all(guesses))), new Set(['unauthorized']));
});

tokens.run();

const users = suite('Users');

users('a user has a role and a tenant; the token is returned once', async () => {
  const { auth } = await settled();
  const { user, token } = await auth.createUser({ name: '  Ada  ' });
  assert.equal(Object.keys(user).sort(), ['createdAt', 'id', 'name', 'role', 'tenantId']);
  assert.equal([user.name, user.role, user.tenantId], ['Ada', 'user', 'default']);
  assert.match(user.id, /^usr_/);
  assert.not.match(JSON.stringify(await auth.users()), /token|svc_|scrypt/i);
  assert.is(await signIn(auth, token), 'accepted');
});

users('a name of 1 to 120 characters', async () => {
  const { auth } = await settled();
  assert.is(await outcome(auth.createUser({ name: '   ' })), 'invalid_body');
  assert.is(await outcome(auth.createUser({ name: 'x'.repeat(121) })), 'invalid_body');
  assert.is(await outcome(auth.createUser({ name: 'x'.repeat(120) })), 'accepted');
});

users('an unknown tenant is 404', async () => {
  const { auth } = await settled();
  assert.is(await outcome(auth.createUser({ name: 'Ada', tenantId: 'nowhere' })), 'not_found');
});

users('rotation kills the old token before it answers', async () => {
  const { auth } = await settled();
  const { user, token } = await auth.createUser({ name: 'Ada' });
  const rotated = await auth.rotateToken(user.id);
  assert.is(await signIn(auth, token), 'unauthorized');
  assert.is(await signIn(auth, rotated.token), 'accepted');
  assert.equal(rotated.user, user);
});

users('deletion kills the token', async () => {
  const { auth } = await settled();
  const { user, token } = await auth.createUser({ name: 'Ada' });
  await auth.deleteUser(user.id);
  assert.is(await signIn(auth, token), 'unauthorized');
  assert.is(await outcome(auth.deleteUser(user.id)), 'not_found');
  assert.is(await outcome(auth.rotateToken(user.id)), 'not_found');
});

users('the last administrator cannot be deleted', async () => {
  const { auth } = await settled();
  const [admin] = await auth.users();
  await auth.createUser({ name: 'Ada' });
  assert.is(await outcome(auth.deleteUser(admin?.id ?? '')), 'conflict');
  await auth.createUser({ name: 'Second', role: 'admin' });
  assert.is(await outcome(auth.deleteUser(admin?.id ?? '')), 'accepted');
});

users('of two administrators that are deleted at once, one stays', async () => {
  const { auth } = await settled();
  await auth.createUser({ name: 'Second', role: 'admin' });
  const both = await Promise.all((await auth.users()).map(({ id }) => outcome(auth.deleteUser(id))));
  assert.equal(both.sort(), ['accepted', 'conflict']);
});

users.run();

const revocation = suite('A dead credential ends what was opened with it');

for (const how of ['rotateToken', 'deleteUser'] as const) {
  revocation(`${how} tells each listener once`, async () => {
    const { auth } = await settled();
    const { user, token } = await auth.createUser({ name: 'Ada' });
    const caller = await auth.authenticate(bearer(token), ip);
    let told = 0;
    auth.whenRevoked(caller, () => told++);
    const cancel = auth.whenRevoked(caller, () => told++);
    cancel();
    await auth[how](user.id);
    assert.is(told, 1);
  });

  revocation(`${how} between sign-in and subscription is noticed`, async () => {
    const { auth } = await settled();
    const { user, token } = await auth.createUser({ name: 'Ada' });
    const caller = await auth.authenticate(bearer(token), ip);
    await auth[how](user.id);
    await within(1_000, new Promise<void>((resolve) => auth.whenRevoked(caller, resolve)));
  });
}

revocation('changes to others disturb nobody', async () => {
  const { auth } = await settled();
  const ada = await auth.createUser({ name: 'Ada' });
  const bob = await auth.createUser({ name: 'Bob' });
  const caller = await auth.authenticate(bearer(ada.token), ip);
  let told = 0;
  auth.whenRevoked(caller, () => told++);
  await auth.rotateToken(bob.user.id);
  await auth.deleteUser(bob.user.id);
  await auth.createTenant({ name: 'Acme' });
  assert.is(told, 0);
  assert.is(await auth.authenticate(bearer(ada.token), ip), caller);
});

revocation.run();

const tenants = suite('Tenants');

tenants('default always exists', async () => {
  const { auth } = await settled();
  assert.equal(
    (await auth.tenants()).map(({ id, name }) => [id, name]),
    [['default', 'Default']],
  );
  assert.is(await outcome(auth.createTenant({ id: 'default', name: 'Mine' })), 'conflict');
});

tenants('an id is made from the name when none is given', async () => {
  const { auth } = await settled();
  assert.is((await auth.createTenant({ name: 'Ácme & Söhne Ltd.' })).id, 'a-cme-so-hne-ltd');
  assert.is((await auth.createTenant({ name: 'Acme' })).id, 'acme');
  assert.is((await auth.createTenant({ name: 'ACME' })).id, 'acme-2');
  assert.is((await auth.createTenant({ name: '東京' })).id, 'tenant');
});

for (const id of ['', 'Acme', 'a_b', '../x', 'a/b', 'x'.repeat(65)])
  tenants(`"${id.slice(0, 10)}" is no tenant id`, async () => {
    const { auth } = await settled();
    assert.is(await outcome(auth.createTenant({ id, name: 'Acme' })), 'invalid_body');
  });

tenants('an id is taken once', async () => {
  const { auth } = await settled();
  assert.is(await outcome(auth.createTenant({ id: 'x'.repeat(64), name: 'Acme' })), 'accepted');
  assert.is(await outcome(auth.createTenant({ id: 'x'.repeat(64), name: 'Acme' })), 'conflict');
});

tenants.run();
