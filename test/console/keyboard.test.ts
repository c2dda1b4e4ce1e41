import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auth, token } from './administrator.ts';
import { armed, type ConsoleBench, hasBrowser, holds, startBench, withPage } from './console-bench.ts';

const test = suite('The console: by keyboard alone');
let bench: ConsoleBench;

test.before(async () => {
  bench = await startBench({ settings: { auth, server: { token }, checkpoints: { enabled: true } } });
});
test.after(() => bench.close());

const press = (page: Page, keys: string) => page.keyboard.press(keys);

/** Presses Tab until something with this name has the focus; its outline must be visible then. */
async function tabTo(page: Page, name: string | RegExp, keys = 'Tab'): Promise<void> {
  const matches = typeof name === 'string' ? new RegExp(`^${name}$`) : name;
  for (let presses = 0; presses < 60; presses++) {
    await press(page, keys);
    const [label, outline] = (await page.evaluate(`(() => {
      const at = document.activeElement;
      const text = at.getAttribute('aria-label') || at.labels?.[0]?.innerText || at.innerText || at.title || '';
      const box = at.closest('.composer') ?? at;
      return [text.replace(/\\s+/g, ' ').trim(), getComputedStyle(at).outlineStyle !== 'none' || getComputedStyle(box).boxShadow !== 'none'];
    })()`)) as [string, boolean];
    if (!matches.test(label)) continue;
    assert.ok(outline, `"${label}" does not show that it has the focus`);
    return;
  }
  throw new Error(`Tab never reached ${name}`);
}

const write = (content: string) => [{ toolCall: { name: 'write_file', arguments: { path: 'notes.txt', content } } }];
const shell = [{ toolCall: { name: 'shell', arguments: { command: 'echo by-keyboard' } } }];

test('from the login to a decided approval, a stopped run and a rewind that is undone', async () => {
  bench.model.reply(write('changed\n'), shell, [{ text: 'I am done.' }], [{ text: 'on and ' }, { hang: true }]);
  await withPage(
    bench,
    async (page) => {
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await holds(page, `document.activeElement.name === 'token'`);
      await page.keyboard.type(token);
      await press(page, 'Enter');
      await holds(page, `document.activeElement.tagName === 'TEXTAREA'`);
      await page.keyboard.type('change the notes');
      await press(page, 'Enter');
      await page.locator('.dock .approval').waitFor();
      await armed(page);
      await press(page, 'Control+Shift+A');
      await press(page, 'n');
      await page.keyboard.type('only this once');
      await press(page, 'Escape');
      await press(page, 'Enter');
      await page.locator('.assistant', { hasText: 'I am done.' }).waitFor();
      await holds(page, `document.activeElement.tagName === 'TEXTAREA'`);
      await page.keyboard.type('go on for ever');
      await press(page, 'Enter');
      await page.locator('.live', { hasText: 'on and' }).waitFor();
      await press(page, 'Escape');
      await press(page, 'Escape');
      await page.getByText('Stopped.').waitFor();
      const { session } = await bench.service.client.readSession(/s\/(ses_\w+)/.exec(page.url())?.[1] ?? '');
      const notes = join(session.workspace, 'notes.txt');
      assert.is(readFileSync(notes, 'utf8'), 'changed\n');
      await tabTo(page, 'Rewind to before this message', 'Shift+Tab');
      await tabTo(page, 'Rewind to before this message', 'Shift+Tab');
      await press(page, 'Enter');
      await page.getByText('First we save').waitFor();
      await press(page, 'Control+Enter');
      await page.getByText('Rewound. Files restored.').waitFor();
      await press(page, 'Alt+z');
      await page.getByText('The restore was undone.').waitFor();
      assert.is(readFileSync(notes, 'utf8'), 'changed\n');
    },
    { allowed: /401/ },
  );
});

test('sessions, files, checkpoints, settings and administration', async () => {
  const id = await bench.newSession('By keys');
  const { session } = await bench.service.client.readSession(id);
  writeFileSync(join(session.workspace, 'here.md'), '# Here\n');
  await withPage(
    bench,
    async (page) => {
      await page.locator('.session-row', { hasText: 'By keys' }).waitFor();
      await press(page, 'Control+k');
      await page.keyboard.type('by keys');
      await press(page, 'Enter');
      await page.locator('h1', { hasText: 'By keys' }).waitFor();
      await tabTo(page, 'Rename', 'Shift+Tab');
      await press(page, 'Enter');
      await press(page, 'Control+a');
      await page.keyboard.type('Renamed by keys');
      await press(page, 'Enter');
      await page.locator('h1', { hasText: 'Renamed by keys' }).waitFor();
      await press(page, 'Control+Shift+F');
      await page.locator('.tree-entry', { hasText: 'here.md' }).waitFor();
      await tabTo(page, 'here.md');
      await press(page, 'Enter');
      await page.locator('.file-body h1', { hasText: 'Here' }).waitFor();
      await tabTo(page, 'Source');
      await press(page, 'Enter');
      await page.locator('.source').waitFor();
      await tabTo(page, 'Checkpoints', 'Shift+Tab');
      await press(page, 'Enter');
      await page.getByRole('button', { name: 'Snapshot now' }).waitFor();
      await tabTo(page, 'Name of the snapshot');
      await page.keyboard.type('Kept by keys');
      await press(page, 'Enter');
      await page.locator('.timeline li', { hasText: 'Kept by keys' }).waitFor();
      await tabTo(page, 'Restore');
      await press(page, 'Enter');
      await page.getByText('No file differs.').waitFor();
      await press(page, 'Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      await tabTo(page, 'Delete session', 'Shift+Tab');
      await press(page, 'Enter');
      await page.locator('.session-row', { hasText: 'Renamed by keys' }).waitFor({ state: 'detached' });
      await press(page, 'Alt+z');
      await page.locator('.session-row', { hasText: 'Renamed by keys' }).waitFor();
      await press(page, 'Control+k');
      await page.keyboard.type('dark');
      await press(page, 'Enter');
      await holds(page, `document.documentElement.dataset.theme === 'dark'`);
      await press(page, 'Control+k');
      await page.keyboard.type('users');
      await press(page, 'Enter');
      await page.getByRole('heading', { name: 'Add a user' }).waitFor();
      await tabTo(page, 'Name');
      await page.keyboard.type('Grace');
      await press(page, 'Enter');
      await page.getByRole('region', { name: 'Token for Grace' }).waitFor();
      await tabTo(page, 'I saved it', 'Shift+Tab');
      await press(page, 'Enter');
      await tabTo(page, 'Delete Grace');
      await press(page, 'Enter');
      await page.getByText('The token stops working at once.').waitFor();
      await tabTo(page, /^Type Grace/);
      await page.keyboard.type('Grace');
      await press(page, 'Enter');
      await page.locator('td', { hasText: 'Grace' }).waitFor({ state: 'detached' });
    },
    { hash: `#token=${token}` },
  );
});

if (hasBrowser()) test.run();
else suite('The console: by keyboard, skipped').run();
