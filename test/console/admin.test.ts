import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../lib/client/index.ts';
import { auth, token } from './administrator.ts';
import { type ConsoleBench, hasBrowser, startBench, withPage } from './console-bench.ts';

const test = suite('The console: administration');
let bench: ConsoleBench;

test.before(async () => {
  bench = await startBench({
    settings: {
      auth,
      plugins: { config: { quota: { default: { maxSessions: 3 }, tenants: { acme: { maxTokens: 5_000_000 } } } } },
    },
  });
});
test.after(() => bench.close());

test('an administrator manages tenants, users and quotas; a new token is shown once', async () => {
  await withPage(
    bench,
    async (page) => {
      await page.getByRole('link', { name: 'Administration' }).click();
      await page.locator('td', { hasText: 'Ada' }).waitFor();
      await page.getByRole('link', { name: 'Tenants' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Acme');
      await page.getByLabel('Id (optional)').fill('acme');
      await page.getByRole('button', { name: 'Add' }).click();
      await page.getByRole('cell', { name: 'Acme', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Users' }).click();
      await page.getByRole('heading', { name: 'Add a user' }).waitFor();
      await page.getByLabel('Name', { exact: true }).fill('Bob');
      await page.getByLabel('Tenant').selectOption('acme');
      await page.getByRole('button', { name: 'Add' }).click();
      const banner = page.getByRole('region', { name: 'Token for Bob' });
      await banner.getByRole('button', { name: 'Reveal' }).click();
      const issued = await banner.locator('code').innerText();
      const bob = createClient({ baseUrl: bench.service.url, token: issued });
      assert.is((await bob.me()).tenant.id, 'acme');
      await banner.getByRole('button', { name: 'I saved it' }).click();
      assert.not.match((await page.locator('body').textContent()) ?? '', issued);
      await page.getByRole('link', { name: 'Usage and quotas' }).click();
      await page.locator('tr', { hasText: 'acme' }).getByText('0 / 5.0M').waitFor();
      await page.getByRole('link', { name: 'Users' }).click();
      await page.getByRole('button', { name: 'Delete Bob' }).click();
      assert.is(await page.getByRole('button', { name: 'Delete', exact: true }).isDisabled(), true);
      await page.getByLabel(/Type Bob/).fill('Bob');
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.locator('td', { hasText: 'Bob' }).waitFor({ state: 'detached' });
    },
    { hash: `#token=${token}` },
  );
});

test('who is no administrator gets neither links nor data', async () => {
  const admin = createClient({ baseUrl: bench.service.url, token });
  const { token: plain } = await admin.createUser({ name: 'Carol' });
  await withPage(
    bench,
    async (page) => {
      await page.locator('.who', { hasText: 'Carol' }).waitFor();
      assert.is(await page.getByRole('link', { name: 'Administration' }).count(), 0);
      await page.evaluate(`location.hash = '#/admin/users'`);
      await page.getByText('This is for administrators').waitFor();
      assert.is(await page.locator('td').count(), 0);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    },
    { hash: `#token=${plain}`, allowed: /401/ },
  );
});

test('a token that is revoked while a dialog is open: the dialog goes with it, and is not there for who signs in next', async () => {
  const admin = createClient({ baseUrl: bench.service.url, token });
  const { token: brief, user } = await admin.createUser({ name: 'Dora' });
  await withPage(
    bench,
    async (page) => {
      await page.locator('.pill.ok').waitFor();
      await page.keyboard.press('Control+k');
      await page.locator('dialog').waitFor();
      await admin.deleteUser(user.id);
      await page.getByText('This token is not accepted any more.').waitFor();
      await page.getByLabel('Token').fill(token);
      await page.keyboard.press('Enter');
      await page.locator('.who', { hasText: 'Ada' }).waitFor();
      assert.is(await page.locator('dialog').count(), 0);
    },
    { hash: `#token=${brief}`, allowed: /401/ },
  );
});

if (hasBrowser()) test.run();
else suite('The console: administration, skipped').run();
