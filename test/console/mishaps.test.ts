import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../lib/client/index.ts';
import type { Reply } from '../helpers/scripted-model/script.ts';
import { eventually } from '../helpers/within.ts';
import { armed, type ConsoleBench, hasBrowser, send, startBench, withPage } from './console-bench.ts';
import { intercept } from './intercept.ts';

const test = suite('The console: mishaps on the way');
const token = 'token-of-the-first-administrator';
const slow: Reply = [{ delayMs: 1_500 }, { text: 'slowly done' }];
let bench: ConsoleBench;

test.before(async () => {
  bench = await startBench({
    settings: {
      auth: { mode: 'accounts', bootstrapToken: token },
      plugins: { config: { 'core-tools': { shellSandbox: 'off' } } },
    },
    answer({ body }) {
      const last = (body.messages as { role: string; content: unknown }[]).at(-1);
      if (last?.role !== 'user') return [{ text: 'done' }];
      const text = JSON.stringify(last.content);
      if (text.includes('slow')) return slow;
      return text.includes('ask')
        ? [{ toolCall: { name: 'shell', arguments: { command: 'echo hello' } } }]
        : [{ text: 'done' }];
    },
  });
});
test.after(() => bench.close());

test('a decision that did not arrive can be made again', async () => {
  await withPage(
    bench,
    async (page) => {
      await send(page, 'ask me');
      await armed(page);
      await intercept(page, '**/approvals/*', (route) => route.abort(), { times: 1 });
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.locator('.toast.danger').waitFor();
      await armed(page);
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.locator('.assistant:not(.live)', { hasText: 'done' }).waitFor();
    },
    { hash: `#token=${token}`, allowed: /ERR_FAILED/ },
  );
});

test('a key that is held down decides one thing, not the next one too', async () => {
  const client = createClient({ baseUrl: bench.service.url, token });
  for (const title of ['one', 'two']) {
    const { session } = await client.createSession({ title });
    await client.sendMessage(session.id, { content: 'ask me' });
  }
  const waiting = async () => (await client.listApprovals()).approvals.length;
  await eventually(10_000, async () => (await waiting()) === 2, 'two questions');
  await withPage(
    bench,
    async (page) => {
      await page.getByRole('button', { name: '2 waiting for you' }).click();
      await armed(page);
      await page.locator('dialog .approval').first().focus();
      await page.keyboard.down('Enter');
      await eventually(10_000, async () => (await waiting()) === 1, 'the first decision');
      await page.locator('dialog .approval:focus').waitFor();
      await armed(page);
      for (let times = 0; times < 5; times++) await page.keyboard.down('Enter');
      await page.keyboard.up('Enter');
      await page.waitForTimeout(500);
      assert.is(await waiting(), 1);
      await page.keyboard.press('Enter');
      await eventually(10_000, async () => (await waiting()) === 0, 'the second decision');
    },
    { hash: `#token=${token}` },
  );
});

test('a browser that lets only service workers notify is told of the end of a run all the same', async () => {
  const context = await bench.browser.newContext();
  try {
    await context.addInitScript(`
      globalThis.Notification = Object.assign(function () { throw new TypeError('Illegal constructor.') }, { permission: 'granted' });
      localStorage.setItem('service.notify', 'yes');
    `);
    const page = await context.newPage();
    await page.goto(`${bench.service.url}/#token=${token}`);
    await send(page, 'slow please');
    await page.locator('.run-note.working, .assistant.live').first().waitFor();
    await page.evaluate(`location.hash = '#/'`);
    await page.locator('.session-list .dot.unread').waitFor({ timeout: 10_000 });
  } finally {
    await context.close();
  }
});

test('a browser that keeps nothing works all the same, as long as the page is open', async () => {
  await withPage(
    bench,
    async (page) => {
      await page.addInitScript(`{
        const refuse = () => { throw new DOMException('Access is denied.', 'SecurityError'); };
        for (const name of ['localStorage', 'sessionStorage', 'indexedDB'])
          Object.defineProperty(globalThis, name, { get: refuse });
        globalThis.SharedWorker = class { constructor() { refuse(); } };
      }`);
      await page.reload();
      await page.getByLabel('Token').fill(token);
      await page.getByLabel('Remember on this device').check();
      await page.keyboard.press('Enter');
      await send(page, 'slow please');
      await page.locator('.run-note.working, .assistant.live').first().waitFor();
      await page.locator('.composer textarea').fill('and then this');
      await page.keyboard.press('Enter');
      await page.locator('.queue li').waitFor();
      await page.locator('.assistant:not(.live)', { hasText: 'slowly done' }).waitFor();
      await page.locator('.message.user', { hasText: 'and then this' }).waitFor();
      await page.getByRole('button', { name: 'Light or dark' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Token').waitFor();
    },
    { allowed: /401/ },
  );
});

test('who signs in next sees nothing of what the one before had open', async () => {
  const admin = createClient({ baseUrl: bench.service.url, token });
  const { token: other } = await admin.createUser({
    name: 'Other',
    role: 'user',
    tenantId: (await admin.createTenant({ name: 'Others' })).tenant.id,
  });
  await withPage(
    bench,
    async (page) => {
      await send(page, 'my secret plan');
      await page.locator('.assistant:not(.live)').waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await intercept(page, '**/messages?*', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await route.continue();
      });
      await page.getByLabel('Token').fill(other);
      await page.keyboard.press('Enter');
      await page.locator('.session, .empty').first().waitFor();
      assert.not.match(await page.locator('body').innerText(), /secret plan/);
      await page.getByRole('heading', { name: 'This session is not there' }).waitFor();
    },
    { hash: `#token=${token}`, allowed: /404/ },
  );
});

if (hasBrowser()) test.run();
