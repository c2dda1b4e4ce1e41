import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../helpers/within.ts';
import { type ConsoleBench, hasBrowser, holds, openSession, send, startBench, withPage } from './console-bench.ts';
import { queueIsKept } from './kept-queue.ts';
import { pasteNoise } from './paste-noise.ts';
import { startProxy } from './proxy.ts';

const test = suite('The console: runs and connections');
let bench: ConsoleBench;

test.before(async () => {
  bench = await startBench();
});
test.after(() => bench.close());

/** How long the cable stays out after the page has said so (which takes 3 s), in milliseconds. */
const outageMs = Number(process.env.CONSOLE_OUTAGE_MS ?? 4_000);

async function last(page: Page): Promise<string> {
  return (await page.locator('.assistant:not(.live) .markdown').last().textContent())?.trim() ?? '';
}

test('Stop says so at once, ends the run as cancelled, and the composer works again', async () => {
  bench.model.reply([{ text: 'begun' }, { hang: true }]);
  await withPage(bench, async (page) => {
    await send(page, 'never ends');
    await page.locator('.live', { hasText: 'begun' }).waitFor();
    await page.route('**/cancel', async (route) => {
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

test('a cable that is pulled during a run, then put back: the whole text, nothing twice, without a reload', async () => {
  const proxy = await startProxy(bench.service.url);
  bench.model.reply([{ text: 'before ' }, { hold: 'cut' }, { text: 'during ' }, { hold: 'healed' }, { text: 'after' }]);
  bench.model.hold('cut');
  bench.model.hold('healed');
  await withPage(
    bench,
    async (page) => {
      await page.evaluate('window.stayed = true');
      await send(page, 'go through a tunnel');
      await page.locator('.live', { hasText: 'before' }).waitFor();
      proxy.cut();
      await page.locator('.pill:not(.ok)').waitFor();
      bench.model.release('cut');
      await bench.model.held('healed');
      await page.locator('.pill.danger', { hasText: /Reconnecting in/ }).waitFor();
      await new Promise((resolve) => setTimeout(resolve, outageMs));
      proxy.heal();
      await page.locator('.live', { hasText: 'before during' }).waitFor({ timeout: 20_000 });
      bench.model.release('healed');
      await page.locator('.assistant:not(.live)', { hasText: 'after' }).waitFor();
      assert.is(await last(page), 'before during after');
      assert.is(await page.locator('.message.user').count(), 1);
      assert.is(await page.evaluate('window.stayed'), true);
    },
    { at: proxy.url, allowed: /net::ERR/, ms: outageMs + 60_000 },
  );
  await proxy.close();
});

test('a tab that was frozen for a while catches up', async () => {
  bench.model.reply([{ text: 'awake ' }, { hold: 'frozen' }, { text: 'asleep' }]);
  bench.model.hold('frozen');
  await withPage(bench, async (page, context) => {
    await send(page, 'sleep');
    await page.locator('.live', { hasText: 'awake' }).waitFor();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
    bench.model.release('frozen');
    const id = /s\/(ses_\w+)/.exec(page.url())?.[1] ?? '';
    const ended = async () => (await bench.service.client.readSession(id)).session.status === 'idle';
    await eventually(15_000, ended, 'the end of the run');
    await devtools.send('Page.setWebLifecycleState', { state: 'active' });
    await page.locator('.assistant:not(.live)', { hasText: 'awake asleep' }).waitFor();
  });
});

test('a stream that was too slow for all events: what they told is read again', async () => {
  const proxy = await startProxy(bench.service.url);
  await withPage(
    bench,
    async (page) => {
      await page.locator('.pill.ok').waitFor();
      proxy.lose();
      await bench.newSession('made meanwhile');
      await eventually(5_000, () => proxy.lost > 0, 'the event of the new session');
      assert.is(await page.locator('.session-row', { hasText: 'made meanwhile' }).count(), 0);
      proxy.tellGap();
      await page.locator('.session-row', { hasText: 'made meanwhile' }).waitFor();
    },
    { at: proxy.url },
  );
  await proxy.close();
});

test('seven tabs below a path prefix all show the stream, over one connection', async () => {
  const proxy = await startProxy(bench.service.url);
  bench.model.reply([{ text: 'to all ' }, { hold: 'tabs' }, { text: 'of you' }]);
  bench.model.hold('tabs');
  await withPage(
    bench,
    async (page, context) => {
      await send(page, 'broadcast');
      await page.locator('.live', { hasText: 'to all' }).waitFor();
      const tabs = [page];
      for (let count = 1; count < 7; count++) {
        const tab = await context.newPage();
        await tab.goto(page.url());
        await tab.locator('.live', { hasText: 'to all' }).waitFor();
        tabs.push(tab);
      }
      bench.model.release('tabs');
      for (const tab of tabs) await tab.locator('.assistant:not(.live)', { hasText: 'to all of you' }).waitFor();
      assert.equal([proxy.streams, proxy.mostStreams], [1, 1]);
    },
    { at: proxy.url },
  );
  await proxy.close();
});

test('a server that dies and comes back: the pill says so, the session can be resumed, no event is lost', async () => {
  bench.model.reply([{ text: 'half' }, { hang: true }], [{ text: 'whole' }]);
  await withPage(
    bench,
    async (page) => {
      await send(page, 'survive');
      await page.locator('.live', { hasText: 'half' }).waitFor();
      await bench.service.kill();
      await page.locator('.pill:not(.ok)').waitFor();
      await bench.restart();
      await page.locator('.pill.ok').waitFor({ timeout: 15_000 });
      await page.locator('.banner', { hasText: 'The server stopped' }).waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.locator('.assistant', { hasText: 'whole' }).waitFor();
    },
    { allowed: /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|ERR_CONNECTION_RESET|net::/, ms: 40_000 },
  );
});

if (hasBrowser()) test.run();
else suite('The console: runs, skipped').run();
