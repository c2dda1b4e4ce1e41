import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createToken, isGeneratedToken } from '../../lib/auth/tokens.ts';
import { within } from '../helpers/within.ts';
import { bearer, bootstrapToken, settled, signIn, startAuth, turn } from './start-auth.ts';

const ip = '192.0.2.1';
const started = (options = {}) => startAuth({ mode: 'accounts', bootstrap: bootstrapToken, ...options });
const exitCode = (error: unknown): unknown => Reflect.get(Object(error), 'exitCode');

const unfinished = suite('A write that a crash cut short leaves nothing');

for (const mode of ['none', 'token', 'accounts'] as const)
  unfinished(`in mode ${mode}, whose start drops it`, async () => {
    const { directory } = await startAuth({ mode: 'accounts', bootstrap: bootstrapToken });
    const cutShort = [join(directory, 'auth', 'accounts.json.tmp'), join(directory, 'token.tmp')];
    for (const path of cutShort) writeFileSync(path, 'half a secr');
    await startAuth({ directory, mode, token: 'operator-token', bootstrap: bootstrapToken });
    assert.equal(
      cutShort.map((path) => existsSync(path)),
      [false, false],
    );
  });
unfinished.run();

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

first('its first requests are all accepted, however many come at once', async () => {
  const { directory } = await started();
  const { auth } = await started({ directory, bootstrap: '' });
  const answers = await within(20_000, Promise.all(Array.from({ length: 40 }, () => signIn(auth, bootstrapToken))));
  assert.equal(new Set(answers), new Set(['accepted']));
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

first('a bootstrap token that this service made, for another directory, is one like any other', async () => {
  const bootstrap = createToken();
  const { directory, accountsFile } = await started({ bootstrap });
  const { auth } = await started({ directory, bootstrap: '' });
  assert.is(await within(5_000, signIn(auth, bootstrap)), 'accepted');
  assert.not.match(readFileSync(accountsFile, 'utf8'), bootstrap);
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

storage('a new token was never used, whatever its predecessor was', async () => {
  const { auth, accountsFile } = await settled();
  const { user, token } = await auth.createUser({ name: 'Ada' });
  await signIn(auth, token);
  const rotating = auth.rotateToken(user.id);
  await signIn(auth, token);
  const rotated = await rotating;
  assert.is((await auth.users()).find(({ id }) => id === user.id)?.lastUsedAt, undefined);
  await within(5_000, auth.close());
  assert.not.match(readFileSync(accountsFile, 'utf8'), 'lastUsedAt');
  await signIn(auth, rotated.token);
  assert.ok((await auth.users()).find(({ id }) => id === user.id)?.lastUsedAt);
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

tokens('a token that can not be looked at for all the guesses is not called wrong: 429', async () => {
  const { auth } = await started();
  const guesses = Array.from({ length: 20 }, (_, index) => signIn(auth, `guess-number-${index}`));
  assert.is(await signIn(auth, 'a chosen token of somebody'), 'overloaded');
  assert.equal(new Set(await within(60_000, Promise.all(guesses))), new Set(['unauthorized', 'overloaded']));
});

tokens.run();
