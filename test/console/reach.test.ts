import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auth, token } from './administrator.ts';
import {
  armed,
  type ConsoleBench,
  hasBrowser,
  holds,
  openSession,
  send,
  startBench,
  withPage,
} from './console-bench.ts';
import { pasteNoise } from './paste-noise.ts';

const test = suite('The console: for everybody, everywhere');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const { SCREENSHOTS } = process.env;
let bench: ConsoleBench;
let rich = '';

test.before(async () => {
  bench = await startBench({
    settings: {
      auth,
      checkpoints: { enabled: true },
      server: { token },
    },
  });
  if (hasBrowser()) rich = await makeRichSession();
});
test.after(() => bench.close());

/** A session with some of everything, waiting for an approval. */
async function makeRichSession(): Promise<string> {
  const { client } = bench.service;
  const markdown =
    '## What I found\n\n1. A `race`\n2. A **slow** test\n\n| file | lines |\n|---|---|\n| src/a.ts | 12 |\n\n```ts\nconst a = 1;\n```\n\n> quoted\n\n- [x] done\n- [ ] open';
  bench.model.reply(
    [
      { reasoning: 'I should look around first.' },
      { toolCall: { id: 'w', name: 'write_file', arguments: { path: 'README.md', content: '# Read me\n\nText.\n' } } },
    ],
    [{ toolCall: { id: 'r', name: 'read_file', arguments: { path: 'missing.ts' } } }],
    [{ toolCall: { id: 'l', name: 'list_files', arguments: { path: '.' } } }],
    [{ text: markdown }],
    [{ toolCall: { name: 'shell', arguments: { command: 'rm -rf build && npm run build' } } }],
  );
  const { session } = await client.createSession();
  await client.sendAndWait(session.id, 'Make the login test stable');
  await client.sendMessage(session.id, { content: 'Now build it' });
  return session.id;
}

/** Rules that axe finds broken, with the elements. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, any }) => html.slice(0, 160) + ' ' + (any[0]?.message ?? '')).slice(0, 3).join(' | ')))`,
  );
  return found as string[];
}

const screens: [name: string, hash: (id: string) => string, ready: string][] = [
  ['home', () => '#/', '.setup'],
  ['chat', (id) => `#/s/${id}`, '.dock .approval'],
  ['files', (id) => `#/s/${id}/files/README.md`, '.file-body h1'],
  ['source', (id) => `#/s/${id}/files/README.md?line=1`, '.source'],
  ['checkpoints', (id) => `#/s/${id}/checkpoints`, '.timeline li'],
  ['info', (id) => `#/s/${id}/info`, '.facts'],
  ['settings', () => '#/settings/general', '.facts'],
  ['plugins', () => '#/settings/plugins', '[data-plugin]'],
  ['users', () => '#/admin/users', '.list-table'],
  ['tenants', () => '#/admin/tenants', '.list-table'],
  ['usage', () => '#/admin/usage', '.list-table'],
  ['nothing', () => '#/nowhere', '.empty'],
];

for (const width of [1200, 390])
  for (const colorScheme of ['light', 'dark'] as const)
    test(`no screen breaks a rule of accessibility at ${width} px, ${colorScheme}`, async () => {
      await withPage(
        bench,
        async (page) => {
          await page.locator('.setup').waitFor();
          const broken: string[] = [];
          for (const [name, hash, ready] of screens) {
            await page.evaluate(`location.hash = '${hash(rich)}'`);
            await page.locator(ready).first().waitFor();
            if (name === 'chat') await armed(page);
            if (name === 'checkpoints') await page.getByRole('button', { name: 'Changes since' }).first().click();
            if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`) });
            broken.push(...(await violations(page)).map((violation) => `${name}: ${violation}`));
            const overflow = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
            if (overflow) broken.push(`${name}: scrolls sideways`);
          }
          assert.equal(broken, []);
        },
        { hash: `#token=${token}`, viewport: { width, height: width === 390 ? 844 : 800 }, colorScheme },
      );
    });

test('the dialogs break no rule either: login, palette, shortcuts, inbox, rewind', async () => {
  await withPage(
    bench,
    async (page) => {
      const broken: string[] = [];
      const look = async (name: string) => {
        if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
        broken.push(...(await violations(page)).map((violation) => `${name}: ${violation}`));
      };
      await page.getByLabel('Token').waitFor();
      await look('login');
      await page.getByLabel('Token').fill(token);
      await page.keyboard.press('Enter');
      await page.locator('.setup').waitFor();
      await openSession(page, rich);
      await page.locator('.dock .approval').waitFor();
      await page.locator('main').focus();
      for (const [key, name] of [
        ['Control+k', 'palette'],
        ['?', 'shortcuts'],
      ] as const) {
        await page.keyboard.press(key);
        await page.locator('dialog').waitFor();
        await look(name);
        await page.keyboard.press('Escape');
        await page.locator('dialog').waitFor({ state: 'detached' });
      }
      await page.getByRole('button', { name: '1 waiting for you' }).click();
      await armed(page);
      await look('inbox');
      await page.keyboard.press('Escape');
      await page.locator('.message.user').first().hover();
      await page.getByRole('button', { name: 'Rewind to before this message' }).first().click();
      await page.getByText('Also restore files').waitFor();
      await look('rewind');
      assert.equal(broken, []);
    },
    { allowed: /401/ },
  );
});

test('no state of the conversation breaks a rule: opened tools, a note, a queue, an image, both densities', async () => {
  await withPage(
    bench,
    async (page) => {
      const broken: string[] = [];
      await page.locator('.setup').waitFor();
      await openSession(page, rich);
      await armed(page);
      for (const density of ['comfortable', 'compact']) {
        await page.evaluate(`localStorage.setItem('service.density', '${density}')`);
        await page.reload();
        await armed(page);
        for (const closed of ['[aria-expanded=false].tools-head', '[aria-expanded=false].tool-head'])
          while (await page.locator(closed).count()) await page.locator(closed).first().click();
        await page.locator('.tool-body').first().waitFor();
        await page.getByRole('button', { name: /^Note/ }).click();
        await pasteNoise(page, { width: 40, height: 30 });
        await page.locator('.attachment img').waitFor();
        await send(page, `then this, ${density}`);
        await page.locator('.queue li', { hasText: density }).waitFor();
        if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `states-${density}.png`) });
        broken.push(...(await violations(page)).map((violation) => `${density}: ${violation}`));
      }
      while (await page.locator('.queue li').count())
        await page.getByRole('button', { name: 'Remove queued message' }).first().click();
      assert.equal(broken, []);
    },
    { hash: `#token=${token}` },
  );
});

test('who listens hears one sentence for each turn of a run', async () => {
  bench.model.reply([{ text: Array.from({ length: 30 }, (_, at) => `word${at} `) }]);
  await withPage(
    bench,
    async (page) => {
      await page.locator('.setup').waitFor();
      // What happens before the stream stands is shown, but told to nobody.
      await page.locator('.pill.ok').waitFor();
      await page.evaluate(`(() => {
        window.heard = [];
        const live = document.querySelector('[data-announcer]');
        new MutationObserver((records) => {
          for (const { addedNodes } of records) for (const node of addedNodes) window.heard.push(node.textContent);
        }).observe(live, { childList: true, subtree: true });
      })()`);
      await send(page, 'tell me');
      await page.locator('.assistant:not(.live)', { hasText: 'word29' }).waitFor();
      await holds(page, `window.heard.includes('Reply complete')`);
      assert.equal(await page.evaluate('window.heard'), ['Run started', 'Reply complete']);
      assert.is(await page.locator('.transcript').getAttribute('aria-live'), 'off');
    },
    { hash: `#token=${token}` },
  );
});

test('on a phone the list opens over the page, the composer stays in view, and an approval is within the thumb', async () => {
  await withPage(
    bench,
    async (page) => {
      await page.locator('.setup').waitFor();
      await page.getByRole('button', { name: 'Sessions', exact: true }).tap();
      await page.locator('.session-row', { hasText: 'Make the login test stable' }).tap();
      const approve = page.getByRole('button', { name: /Approve/ });
      await approve.waitFor();
      const box = await approve.boundingBox();
      assert.ok(box && box.y > 844 / 2 && box.height >= 44, `Approve is at ${JSON.stringify(box)}`);
      assert.is(await page.evaluate(`document.activeElement.tagName !== 'TEXTAREA'`), true);
      await page.setViewportSize({ width: 390, height: 500 });
      const composer = await page.locator('.composer').boundingBox();
      assert.ok(composer && composer.y + composer.height <= 500, 'the composer is below the keyboard');
      await page.getByRole('button', { name: 'Sessions', exact: true }).tap();
      await page.locator('.scrim').waitFor();
      await page.goBack();
      await page.locator('.setup').waitFor();
      assert.is(await page.locator('.scrim').count(), 0, 'the list covers the page that was gone back to');
    },
    { hash: `#token=${token}`, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  );
});

if (hasBrowser()) test.run();
else suite('The console: reach, skipped').run();
