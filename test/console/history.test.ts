import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleBench, hasBrowser, holds, openSession, send, startBench, withPage } from './console-bench.ts';
import { intercept } from './intercept.ts';

const test = suite('The console: history and files');
let bench: ConsoleBench;

test.before(async () => {
  bench = await startBench({ settings: { checkpoints: { enabled: true } } });
});
test.after(() => bench.close());

const write = (content: string) => [{ toolCall: { name: 'write_file', arguments: { path: 'notes.txt', content } } }];
const notes = () => join(bench.service.workspace, 'notes.txt');

test('a rewind lists its effects, restores the files, and its file part can be undone', async () => {
  writeFileSync(notes(), 'original\n');
  bench.model.reply(write('changed\n'), [{ text: 'I changed it.' }]);
  await withPage(bench, async (page) => {
    await send(page, 'change the notes');
    await page.locator('.assistant', { hasText: 'I changed it.' }).waitFor();
    assert.is(readFileSync(notes(), 'utf8'), 'changed\n');
    await page.locator('.message.user').hover();
    await page.getByRole('button', { name: 'Rewind to before this message' }).click();
    const dialog = page.locator('dialog');
    await dialog.getByText('4 messages from here on are removed').waitFor();
    assert.is(await dialog.getByLabel('Also restore files').isChecked(), true);
    await dialog.getByText('1 changed').waitFor();
    assert.not.match((await dialog.textContent()) ?? '', /No difference/);
    await page.keyboard.press('Control+Enter');
    await page.getByText('Rewound. Files restored.').waitFor();
    assert.is(await page.locator('.message').count(), 0);
    assert.is(readFileSync(notes(), 'utf8'), 'original\n');
    await page.getByRole('button', { name: 'Undo file restore' }).click();
    await page.getByText('The restore was undone.').waitFor();
    assert.is(readFileSync(notes(), 'utf8'), 'changed\n');
  });
});

test('editing a sent message rewinds and puts it into the composer', async () => {
  bench.model.reply([{ text: 'first answer' }], [{ text: 'second answer' }]);
  await withPage(bench, async (page) => {
    await send(page, 'tpyo');
    await page.locator('.assistant', { hasText: 'first answer' }).waitFor();
    await page.locator('.message.user').hover();
    await page.getByRole('button', { name: /^Edit: rewind/ }).click();
    await page.getByRole('button', { name: 'Rewind and edit' }).click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    await holds(page, `document.querySelector('.composer textarea').value === 'tpyo'`);
    await send(page, 'typo');
    await page.locator('.assistant', { hasText: 'second answer' }).waitFor();
    assert.is(await page.locator('.message.user').count(), 1);
  });
});

test('the warning of a rewind is shown in the words of the service', async () => {
  const warning = 'The files were left alone because of the moon.';
  bench.model.reply([{ text: 'answered' }]);
  await withPage(bench, async (page) => {
    await send(page, 'warn me');
    await page.locator('.assistant', { hasText: 'answered' }).waitFor();
    await intercept(page, '**/rewind', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), restored: null, warning } });
    });
    await page.locator('.message.user').hover();
    await page.getByRole('button', { name: 'Rewind to before this message' }).click();
    await page
      .locator('dialog')
      .getByRole('button', { name: /^Rewind/ })
      .click();
    await page.getByText(warning).waitFor();
  });
});

test('the timeline lists snapshots with what changed since, and a restore shows first what it does', async () => {
  writeFileSync(notes(), 'one\n');
  const id = await bench.newSession('Timeline');
  await withPage(bench, async (page) => {
    await openSession(page, id);
    await page.getByRole('link', { name: 'Checkpoints' }).click();
    await page.getByLabel('Name of the snapshot').fill('Green tests');
    await page.getByRole('button', { name: 'Snapshot now' }).click();
    const entry = page.locator('.timeline li', { hasText: 'Green tests' });
    await entry.waitFor();
    writeFileSync(notes(), 'two\n');
    writeFileSync(join(bench.service.workspace, 'extra.txt'), 'extra\n');
    await entry.getByRole('button', { name: 'Changes since' }).click();
    await entry.getByText('1 added, 1 changed, 0 deleted').waitFor();
    await entry.locator('summary', { hasText: 'notes.txt' }).click();
    assert.match(await entry.locator('details[open] .diff').innerText(), /one[\s\S]*two/);
    await entry.getByRole('button', { name: 'Restore' }).click();
    const dialog = page.locator('dialog');
    await dialog.getByText('Before restoring "Green tests"').waitFor();
    await dialog.getByRole('button', { name: 'Restore files' }).click();
    await page.getByText('Files are as in "Green tests".').waitFor();
    assert.is(readFileSync(notes(), 'utf8'), 'one\n');
    assert.not.ok(existsSync(join(bench.service.workspace, 'extra.txt')));
    await page.locator('.timeline li', { hasText: 'Before restoring "Green tests"' }).waitFor();
  });
});

test('files open in a tree; long folders and long files say that they are cut; a path in chat opens at its line', async () => {
  const { workspace } = bench.service;
  mkdirSync(join(workspace, 'many'), { recursive: true });
  for (let at = 0; at < 510; at++) writeFileSync(join(workspace, 'many', `f${at}.txt`), '');
  mkdirSync(join(workspace, 'src'), { recursive: true });
  const lines = Array.from({ length: 300 }, (_, at) => `const line${at + 1} = ${at + 1};`);
  writeFileSync(join(workspace, 'src/long.ts'), lines.join('\n'));
  writeFileSync(join(workspace, 'large.log.txt'), 'x'.repeat(80).concat('\n').repeat(30_000));
  bench.model.reply([{ text: 'See `src/long.ts:200`, and `../outside.txt`.' }]);
  await withPage(
    bench,
    async (page) => {
      await send(page, 'where');
      await page.locator('.assistant a.file-link').first().click();
      await page.locator('.source .tok-keyword').first().waitFor();
      await holds(page, `document.querySelector('.file-body').scrollTop > 3000`);
      assert.match(await page.locator('.source .numbers').innerText(), /▸ 200/);
      await page.getByLabel('Find in this file').fill('line250 ');
      await page.keyboard.press('Enter');
      await holds(page, `document.querySelector('.file-body').scrollTop > 4500`);
      await page.getByText('1 line', { exact: true }).waitFor();
      await page.getByLabel('Find in this file').fill(':20');
      await page.keyboard.press('Enter');
      await holds(page, `document.querySelector('.file-body').scrollTop < 600`);
      assert.match(await page.locator('.source .numbers').innerText(), /▸ 20\n/);
      await page.locator('.tree-entry', { hasText: 'many' }).click();
      await page.getByText('The first 500 entries are shown').waitFor();
      await page.locator('.tree-entry', { hasText: 'large.log.txt' }).click();
      await page.getByText('The file is cut at 2 MB').waitFor();
      const id = /s\/(ses_\w+)/.exec(page.url())?.[1] ?? '';
      await page.evaluate(`location.hash = '#/s/${id}/files/..%2Fsecret.txt'`);
      await page.locator('.file-body.problem').waitFor();
    },
    { allowed: /40[034]/ },
  );
});

test('a compaction becomes a divider with the numbers of its event, and the transcript is what the service has', async () => {
  const long = 'many words '.repeat(9_000);
  bench.model.reply([{ text: 'a' }], [{ text: 'b' }], [{ text: 'c' }], [{ text: 'd' }], [{ text: 'e' }]);
  await withPage(bench, async (page) => {
    for (const [at, answer] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      await send(page, at === 0 ? long : `short ${at}`);
      await page.locator('.assistant:not(.live) .markdown', { hasText: new RegExp(`^${answer}\\s*$`) }).waitFor();
    }
    const id = /s\/(ses_\w+)/.exec(page.url())?.[1] ?? '';
    bench.model.reply([{ text: 'They wrote many words.' }]);
    assert.is((await bench.service.client.compactSession(id)).compacted, true);
    const divider = page.locator('.divider summary');
    await divider.waitFor();
    assert.match(await divider.innerText(), /\d+ messages summarised, [\d.]+k to [\d.]+k? tokens/);
    const { total } = await bench.service.client.listMessages(id);
    await holds(page, `document.querySelectorAll('.message, .divider').length === ${total}`);
  });
});

test('the back button takes a dialog away with the page that it was opened on', async () => {
  const id = await bench.newSession('Go back');
  await withPage(bench, async (page) => {
    await openSession(page, id);
    await send(page, 'stay');
    await page.locator('.assistant:not(.live)').waitFor();
    await page.getByRole('button', { name: 'Rewind to before this message' }).click();
    await page.locator('dialog').waitFor();
    await page.goBack();
    await page.locator('.setup').waitFor();
    await page.locator('dialog').waitFor({ state: 'detached' });
    assert.is((await bench.service.client.readSession(id)).session.messages.length, 2);
  });
});

if (hasBrowser()) test.run();
else suite('The console: history, skipped').run();
