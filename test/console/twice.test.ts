import type { Locator, Page, Route } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../lib/client/index.ts';
import { eventually } from '../helpers/within.ts';
import { auth, token } from './administrator.ts';
import { type ConsoleBench, hasBrowser, openSession, startBench, withPage } from './console-bench.ts';
import { intercept } from './intercept.ts';

const test = suite('The console: what is pressed twice is sent once, and what failed can be tried again');
let bench: ConsoleBench;

test.before(async () => {
  bench = await startBench({
    settings: {
      auth,
      checkpoints: { enabled: true },
      plugins: { config: { triggers: { schedules: [{ id: 'nightly', cron: '0 3 1 1 *', prompt: 'p', title: 'n' }] } } },
    },
  });
});
test.after(() => bench.close());

/** Counts the requests of a kind; the first is answered with a failure, but only when it is let go. */
async function hold(page: Page, method: string, path: string): Promise<{ count: () => number; letGo: () => void }> {
  const kept: Route[] = [];
  await intercept(page, path, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    kept.push(route);
    if (kept.length > 1) await route.continue();
  });
  return {
    count: () => kept.length,
    letGo: () =>
      void kept[0]?.fulfill({ status: 500, json: { error: { code: 'internal_error', message: 'Not this time.' } } }),
  };
}

/** Two presses within one turn of the page, and a third when the page was drawn again. */
async function pressThrice(page: Page, { button, form }: Case): Promise<void> {
  const target = form ? page.locator(form) : button(page);
  const press = (times: number) =>
    target.evaluate((one: Pressed, count) => {
      for (let at = 0; at < count; at++) one.requestSubmit ? one.requestSubmit() : one.click();
    }, times);
  await press(2);
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  await press(1);
}

/** A form or a button, in the page. */
interface Pressed {
  click(): void;
  requestSubmit?(): void;
}

interface Case {
  name: string;
  method: string;
  path: string;
  /** The button that sends, and the form where there is one. */
  button: (page: Page) => Locator;
  form?: string;
  prepare(page: Page): Promise<unknown>;
  done(page: Page): Promise<unknown>;
}

const admin = () => createClient({ baseUrl: bench.service.url, token });
const named = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true });
const to = (page: Page, hash: string) => page.evaluate(`location.hash = '${hash}'`);
const cases: Case[] = [
  {
    name: 'Snapshot now',
    method: 'POST',
    path: '**/checkpoints',
    button: named('Snapshot now'),
    form: 'form.inline-form',
    async prepare(page) {
      const { session } = await admin().createSession({ title: 'Snapshots' });
      await openSession(page, session.id);
      await to(page, `#/s/${session.id}/checkpoints`);
      await page.getByLabel('Name of the snapshot').fill('green');
    },
    done: (page) => page.locator('.timeline .label', { hasText: 'green' }).waitFor(),
  },
  {
    name: 'Add a tenant',
    method: 'POST',
    path: '**/api/tenants',
    button: named('Add'),
    form: 'form.card',
    async prepare(page) {
      await to(page, '#/admin/tenants');
      await page.getByLabel('Name', { exact: true }).fill('Twice');
    },
    done: (page) => page.getByRole('cell', { name: 'Twice', exact: true }).waitFor(),
  },
  {
    name: 'Add a user',
    method: 'POST',
    path: '**/api/users',
    button: named('Add'),
    form: 'form.card',
    async prepare(page) {
      await to(page, '#/admin/users');
      await page.getByLabel('Name', { exact: true }).fill('Bob');
    },
    done: (page) => page.getByRole('region', { name: 'Token for Bob' }).waitFor(),
  },
  {
    name: 'New token',
    method: 'POST',
    path: '**/api/users/*/token',
    button: (page) => page.locator('tr', { hasText: 'Carol' }).getByRole('button', { name: 'New token' }),
    async prepare(page) {
      await admin().createUser({ name: 'Carol' });
      await to(page, '#/admin/users');
    },
    done: (page) => page.getByRole('region', { name: 'Token for Carol' }).waitFor(),
  },
  {
    name: 'Run a schedule now',
    method: 'POST',
    path: '**/api/triggers/*/run',
    button: named('Run now'),
    prepare: (page) => to(page, '#/settings/triggers'),
    done: (page) => page.locator('.session').waitFor(),
  },
  {
    name: 'Rename',
    method: 'PATCH',
    path: '**/api/sessions/*',
    button: named('Save'),
    form: 'form.rename',
    async prepare(page) {
      const { session } = await admin().createSession({ title: 'Old' });
      await openSession(page, session.id);
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByLabel('Title').fill('New');
    },
    done: (page) => page.locator('h1', { hasText: 'New' }).waitFor(),
  },
  {
    name: 'Send',
    method: 'POST',
    path: '**/api/sessions',
    button: named('Send'),
    form: 'form.composer',
    async prepare(page) {
      await to(page, '#/');
      await page.locator('.composer textarea').fill('hello');
    },
    done: (page) => page.locator('.assistant:not(.live)').waitFor(),
  },
  {
    name: 'Resume',
    method: 'POST',
    path: '**/resume',
    button: named('Resume'),
    async prepare(page) {
      bench.model.reply([{ status: 400, message: 'no' }]);
      const { session } = await admin().createSession({ title: 'Failed' });
      await admin().sendMessage(session.id, { content: 'fail' });
      await openSession(page, session.id);
    },
    done: (page) => page.locator('.assistant:not(.live)').waitFor(),
  },
];

for (const one of cases)
  test(one.name, async () => {
    await withPage(
      bench,
      async (page) => {
        await page.locator('.who', { hasText: 'Ada' }).waitFor();
        await one.prepare(page);
        const requests = await hold(page, one.method, one.path);
        await pressThrice(page, one);
        await eventually(5_000, () => requests.count() > 0, 'the request');
        // What a second press would send is on its way by now.
        await page.evaluate('new Promise((later) => setTimeout(later, 100))');
        assert.is(requests.count(), 1);
        requests.letGo();
        await page.locator('.toast', { hasText: 'Not this time.' }).waitFor();
        await one.button(page).click();
        await one.done(page);
        assert.is(requests.count(), 2);
      },
      { hash: `#token=${token}`, allowed: /500/ },
    );
  });

if (hasBrowser()) test.run();
else suite('The console: pressed twice, skipped').run();
