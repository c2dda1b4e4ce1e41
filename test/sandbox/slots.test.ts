import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleBench, hasBrowser, openSession, send, startBench } from '../console/console-bench.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';

interface Fixture {
  bench: ConsoleBench;
}

const test = suite<Fixture>('Plugin bundles put things into the slots of the console');

test.before(async (fixture) => {
  const directory = tempDirectory('bundles');
  cpSync('test/sandbox/bundles', directory, { recursive: true });
  cpSync('test/plugins/examples/reading-time', join(directory, 'reading-time'), { recursive: true });
  const plugins = { directories: [directory], config: {} };
  fixture.bench = await startBench({ settings: { plugins } });
});
test.after(({ bench }) => bench.close());

/** The text of the first frame whose title matches, once it has some. */
async function textIn(page: Page, title: string): Promise<string> {
  const root = page.frameLocator(`iframe[title="${title}"]`).locator('#root');
  await root.filter({ hasText: /\S/ }).first().waitFor({ timeout: 20_000 });
  return root.first().innerText();
}

test('every slot, in order, with the context of its kind; broken bundles are reported once and harm nobody', async ({
  bench,
}) => {
  const id = await bench.newSession('Facts');
  writeFileSync(join(bench.service.workspace, 'Big.CSV'), 'a,b\n'.repeat(150_000));
  const { page, close } = await bench.open();
  try {
    await within(90_000, walk(page, id), 'the walk through the slots');
  } finally {
    await close();
  }
});

async function walk(page: Page, id: string): Promise<void> {
  assert.is(await textIn(page, 'Sidebar note: sooner'), 'first of Sidebar note: endpoint plugin request');
  const titles = await page
    .locator('[data-slot="sidebar.footer"] iframe')
    .evaluateAll((frames) => frames.map((frame) => frame.getAttribute('title')));
  assert.equal(titles, ['Sidebar note: sooner', 'Sidebar note: later']);
  const accent = await page.evaluate(`getComputedStyle(document.querySelector('.button.primary')).backgroundColor`);
  const [frame] = page.frames().filter((one) => one.url().includes('plugin=sidebar-note'));
  assert.is(await frame?.evaluate("getComputedStyle(document.querySelector('.note')).color"), accent);
  const { height = 0 } = (await page.locator('iframe[title="Sidebar note: sooner"]').boundingBox()) ?? {};
  assert.ok(height > 10 && height < 120, `the frame is ${height} px high`);

  await openSession(page, id);
  const facts = await textIn(page, 'Session facts: facts');
  assert.is(
    facts,
    `Facts | Plugin "session-facts" may not call POST /api/sessions/${id}/cancel: no matching grant in web.api | 404 session_not_found`,
  );

  await send(page, 'hello');
  assert.is(await textIn(page, 'Reading time: reading-time'), '1 words, 1 min');
  assert.is(await page.locator('iframe[title="Reading time: reading-time"]').count(), 1);

  await page.frameLocator('iframe[title="Quick reply: reply"]').locator('button').click();
  await page.locator('.message.user .said', { hasText: 'Thanks from the plugin' }).waitFor();
  await page.locator('iframe[title="Reading time: reading-time"]').nth(1).waitFor();
  assert.is(await page.locator('.message.user:not(.pending)').count(), 2);

  await page.evaluate(`location.hash = '#/s/${id}/files/Big.CSV'`);
  assert.is(await textIn(page, 'Table viewer: table'), 'Big.CSV: 512000 characters, truncated: true');
  await page.getByRole('button', { name: 'Source' }).click();
  assert.is(await page.locator('iframe[title="Table viewer: table"]').count(), 0);

  await page.evaluate(`location.hash = '#/settings/plugins'`);
  assert.is(await textIn(page, 'Settings note: settings'), 'settings without a session: true');
  const state = (plugin: string) =>
    page.locator(`[data-plugin="${plugin}"] [data-bundle-state]`).getAttribute('data-bundle-state');
  const problems = (plugin: string) => page.locator(`[data-plugin="${plugin}"] .problem`).allInnerTexts();
  for (const plugin of ['endless', 'silent', 'split', 'thrower']) {
    await page.locator(`[data-plugin="${plugin}"] [data-bundle-state="failed"]`).waitFor({ timeout: 20_000 });
  }
  assert.equal(await problems('thrower'), ['it broke while loading']);
  assert.match((await problems('endless')).join(), /5 seconds/);
  assert.match((await problems('silent')).join(), /registers nothing/);
  assert.match((await problems('split')).join(), /Only the entry runs: what it imports must be bundled/);
  assert.is(await state('sidebar-note'), 'ready');

  await page.locator('[data-plugin="sidebar-note"]').getByRole('button', { name: 'Stop in this browser' }).click();
  await page.locator('[data-slot="sidebar.footer"]').waitFor({ state: 'detached' });
  await page.reload();
  await page.locator('[data-plugin="sidebar-note"] [data-bundle-state="stopped"]').waitFor();
  assert.is(await page.locator('[data-slot="sidebar.footer"]').count(), 0);
}

if (hasBrowser()) test.run();
