import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../helpers/within.ts';
import { type ConsoleBench, hasBrowser, holds, openSession, send, startBench, withPage } from './console-bench.ts';
import { intercept } from './intercept.ts';
import { queueIsKept } from './kept-queue.ts';
import { pasteNoise } from './paste-noise.ts';

const test = suite('The console: runs');
let bench: ConsoleBench;

test.before(async () => {
  bench = await startBench();
});
test.after(() => bench.close());

async function last(page: Page): Promise<string> {
  return (await page.locator('.assistant:not(.live) .markdown').last().textContent())?.trim() ?? '';
}

test('Stop says so at once, ends the run as cancelled, and the composer works again', async () => {
  bench.model.reply([{ text: 'begun' }, { hang: true }]);
  await withPage(bench, async (page) => {
    await send(page, 'never ends');
    await page.locator('.live', { hasText: 'begun' }).waitFor();
    await intercept(page, '**/cancel', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Stopping…' }).waitFor();
    await page.getByText('Stopped.').waitFor();
    assert.match(await page.locator('.assistant').last().innerText(), /begun[\s\S]*not finished/);
    bench.model.reply([{ text: 'works again' }]);
    await send(page, 'and now');
    await page.locator('.assistant', { hasText: 'works again' }).waitFor();
  });
});

test('a message during a run waits, can be changed, survives another session, and is sent once at the end', async () => {
  bench.model.reply([{ text: 'busy' }, { hold: 'busy' }], [{ text: 'second answer' }]);
  bench.model.hold('busy');
  await withPage(bench, async (page) => {
    await send(page, 'first');
    await page.locator('.live', { hasText: 'busy' }).waitFor();
    await send(page, 'then run lnit');
    await page.locator('.queue li', { hasText: 'then run lnit' }).waitFor();
    await page.getByRole('button', { name: 'Edit queued message' }).click();
    await holds(page, `document.querySelector('.composer textarea').value === 'then run lnit'`);
    assert.is(await page.locator('.queue').count(), 0);
    await page.locator('.composer textarea').fill('then run lint');
    await page.keyboard.press('Enter');
    await page.locator('.queue li', { hasText: 'then run lint' }).waitFor();
    const other = await bench.newSession('Elsewhere');
    const id = /s\/(ses_\w+)/.exec(page.url())?.[1] ?? '';
    await openSession(page, other);
    assert.is(await page.locator('.queue').count(), 0);
    await openSession(page, id);
    await page.locator('.queue li', { hasText: 'then run lint' }).waitFor();
    bench.model.release('busy');
    await page.locator('.assistant', { hasText: 'second answer' }).waitFor();
    assert.is(await page.locator('.message.user', { hasText: 'then run lint' }).count(), 1);
    assert.is(await page.locator('.queue').count(), 0);
  });
});

test('what waits outlasts a reload with its images, and two tabs send it once', async () => {
  bench.model.reply([{ text: 'busy' }, { hold: 'kept' }], [{ text: 'seen both' }]);
  bench.model.hold('kept');
  await withPage(bench, async (page, context) => {
    await send(page, 'first');
    await page.locator('.live', { hasText: 'busy' }).waitFor();
    await pasteNoise(page, { width: 40, height: 30 });
    await page.locator('.attachment img').waitFor();
    await send(page, 'look at this then');
    await page.locator('.queue li', { hasText: 'look at this then' }).waitFor();
    await queueIsKept(page);
    await page.reload();
    const waiting = page.locator('.queue li', { hasText: 'look at this then' });
    await waiting.getByText('1 image').waitFor();
    const tab = await context.newPage();
    await tab.goto(page.url());
    await tab.locator('.queue li', { hasText: 'look at this then' }).waitFor();
    bench.model.release('kept');
    for (const each of [page, tab]) {
      await each.locator('.assistant', { hasText: 'seen both' }).waitFor();
      await each.locator('.queue').waitFor({ state: 'detached' });
      assert.is(await each.locator('.message.user', { hasText: 'look at this then' }).count(), 1);
      await each.locator('.message.user .thumbnail img').waitFor();
    }
  });
});

test('what waited while its run ended unseen is not lost: it goes when somebody says so', async () => {
  bench.model.reply([{ text: 'busy' }, { hold: 'unseen' }], [{ text: 'better late' }]);
  bench.model.hold('unseen');
  await withPage(bench, async (page) => {
    await send(page, 'first');
    await page.locator('.live', { hasText: 'busy' }).waitFor();
    await send(page, 'then this');
    await page.locator('.queue li').waitFor();
    await queueIsKept(page);
    const address = page.url();
    await page.goto('about:blank');
    bench.model.release('unseen');
    const id = /s\/(ses_\w+)/.exec(address)?.[1] ?? '';
    const ended = async () => (await bench.service.client.readSession(id)).session.status === 'idle';
    await eventually(15_000, ended, 'the end of the run');
    await page.goto(address);
    await page.getByText('not sent yet').waitFor();
    await page.getByRole('button', { name: 'Send now' }).click();
    await page.locator('.assistant', { hasText: 'better late' }).waitFor();
    assert.is(await page.locator('.queue').count(), 0);
  });
});

test('a failed run shows its error, also after a reload, and can be resumed', async () => {
  bench.model.reply([{ status: 400, message: 'the model said no' }], [{ text: 'better now' }]);
  await withPage(bench, async (page) => {
    await send(page, 'fail');
    await page.locator('.banner.danger', { hasText: 'the model said no' }).waitFor();
    await page.reload();
    await page.locator('.banner.danger', { hasText: 'the model said no' }).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.locator('.assistant', { hasText: 'better now' }).waitFor();
    assert.is(await page.locator('.banner').count(), 0);
  });
});

test('reloading in the middle of a reply shows what came before and what comes after, once', async () => {
  bench.model.reply([{ text: ['one ', 'two '] }, { hold: 'reload' }, { text: 'three' }, { hold: 'more' }]);
  bench.model.hold('reload');
  bench.model.hold('more');
  await withPage(bench, async (page) => {
    await send(page, 'count');
    await page.locator('.live', { hasText: 'one two' }).waitFor();
    await page.reload();
    await page.locator('.live', { hasText: 'one two' }).waitFor();
    bench.model.release('reload');
    await page.locator('.live', { hasText: 'one two three' }).waitFor();
    bench.model.release('more');
    await page.locator('.assistant:not(.live)').waitFor();
    assert.is(await last(page), 'one two three');
  });
});

if (hasBrowser()) test.run();
else suite('The console: runs, skipped').run();
