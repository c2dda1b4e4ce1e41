import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../helpers/within.ts';
import { bearer, outcome, settled, signIn, startAuth } from './start-auth.ts';

const ip = '192.0.2.1';

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

users('a damaged file is no users; put right it needs no restart, and it keeps nothing from closing', async () => {
  const { auth, accountsFile } = await startAuth();
  mkdirSync(dirname(accountsFile), { recursive: true });
  writeFileSync(accountsFile, '{');
  assert.match(await outcome(auth.users()), /^ConfigError: .* is damaged/);
  rmSync(accountsFile);
  assert.equal(await auth.users(), []);
  writeFileSync(accountsFile, '{');
  const { auth: again } = await startAuth({ directory: dirname(dirname(accountsFile)) });
  assert.match(await outcome(again.users()), /^ConfigError: .* is damaged/);
  await again.close();
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
  assert.is((await auth.createTenant({ name: 'Ácme & Söhne Ltd.' })).id, 'acme-sohne-ltd');
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
