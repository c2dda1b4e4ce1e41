import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../helpers/within.ts';
import { type ConsoleBench, hasBrowser, send, startBench, withPage } from './console-bench.ts';
import { startProxy } from './proxy.ts';

const test = suite('The console: connections');
let bench: ConsoleBench;

test.before(async () => {
  bench = await startBench();
});
test.after(() => bench.close());

/** How long the cable stays out after the page has said so (which takes 3 s), in milliseconds. */
const outageMs = Number(process.env.CONSOLE_OUTAGE_MS ?? 4_000);

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
      assert.is(
        (await page.locator('.assistant:not(.live) .markdown').last().textContent())?.trim(),
        'before during after',
      );
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
else suite('The console: connections, skipped').run();
