import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { startService } from '../helpers/running-service.ts';
import { startScriptedModel } from '../helpers/scripted-model-server.ts';
import { eventually } from '../helpers/within.ts';
import { browserProcesses, missingBrowser, withBrowser } from './browser-bench.ts';
import { startSite } from './site.ts';

const missing = await missingBrowser();
if (missing) console.log(`SKIPPED ${missing}`);
const lifecycle = suite('One browser, one context for each session, nothing left behind');
const test = missing ? lifecycle.skip : lifecycle;

test('nothing starts before it is needed, and tools without a page say so', () =>
  withBrowser(async ({ call }) => {
    for (const tool of ['browser_read', 'browser_screenshot']) {
      const { ok, content } = await call(tool);
      assert.equal([ok, content], [false, 'No page is open. browser_open opens one.']);
    }
    assert.equal(browserProcesses().pids, []);
  }));

test('sessions share neither cookies nor pages; deleting one closes its page, the last one the browser', () =>
  withBrowser(async ({ call, open, anotherSession, site, app, session }) => {
    assert.match((await open('/cookie')).content, /who=me/);
    const other = await anotherSession();
    assert.match((await call('browser_read', {}, other)).content, /No page is open/);
    const seen = await call('browser_open', { url: `${site.url}/` }, other);
    assert.match(seen.content, /Title: Home/);
    assert.match((await call('browser_read')).content, /Title: Cookie/, 'still where it was');
    await app.call('DELETE', other.path, { status: 204 });
    assert.ok(browserProcesses().pids.length > 0);
    await app.call('DELETE', session.path, { status: 204 });
    await eventually(5_000, () => browserProcesses().pids.length === 0, 'the end of the browser');
  }));

test('browser_close forgets cookies, and the next page opens in a new browser', () =>
  withBrowser(async ({ call, open }) => {
    await open('/cookie');
    assert.is((await call('browser_close')).content, 'Closed.');
    assert.is((await call('browser_close')).content, 'No page is open.');
    await eventually(5_000, () => browserProcesses().pids.length === 0, 'the end of the browser');
    assert.match((await open('/')).content, /Title: Home/);
  }));

test('a page that nobody uses is closed after idleMs', () => {
  const clock = createFakeClock();
  return withBrowser(
    async ({ call, open }) => {
      await open('/');
      clock.advance(50_000);
      assert.ok((await call('browser_read')).ok);
      clock.advance(59_999);
      assert.ok((await call('browser_read')).ok, 'each use counts from the beginning');
      clock.advance(60_000);
      assert.match((await call('browser_read')).content, /No page is open/);
      await eventually(5_000, () => browserProcesses().pids.length === 0, 'the end of the browser');
    },
    { clock, browser: { idleMs: 60_000 } },
  );
});

test('a browser that crashes is started again', () =>
  withBrowser(async ({ call, open }) => {
    await open('/');
    for (const pid of browserProcesses().pids)
      try {
        process.kill(pid, 'SIGKILL');
      } catch {}
    await eventually(5_000, async () => !(await call('browser_read')).ok);
    assert.match((await open('/')).content, /Title: Home/);
  }));

test('without Chromium the tools say what to install', () =>
  withBrowser(
    async ({ open }) => {
      const { ok, content } = await open('/');
      assert.is(ok, false);
      assert.match(content, /"executable" of the plugin browser .* was not found/);
    },
    { browser: { executable: '/nowhere/chromium' } },
  ));

test('memory: sessions one after the other leave none, and those side by side share one browser', () =>
  withBrowser(
    async ({ call, anotherSession, app, site }) => {
      const count = Number(process.env.BROWSER_SESSIONS ?? 5);
      const sessions = [];
      for (let n = 0; n < count; n++) {
        const one = await anotherSession();
        assert.ok((await call('browser_open', { url: `${site.url}/form` }, one)).ok);
        sessions.push(one);
      }
      const { pids, megabytes } = browserProcesses();
      console.log(`figures: ${count} open sessions: ${pids.length} processes, ${megabytes} MB`);
      for (const one of sessions) {
        await one.stream.close();
        await app.call('DELETE', one.path, { status: 204 });
      }
      await eventually(5_000 + count * 400, () => browserProcesses().pids.length === 0, 'the end of the browser');
      console.log(`figures: ${browserProcesses().megabytes} MB after they were deleted`);
    },
    { ms: Number(process.env.BROWSER_SESSIONS ?? 5) > 10 ? 240_000 : 30_000 },
  ));

test('no browser survives a kill -9 of the service', async () => {
  const site = await startSite();
  const models = await startScriptedModel({
    replies: [[{ toolCall: { name: 'browser_open', arguments: { url: `${site.url}/` } } }], [{ text: 'done' }]],
  });
  const config = {
    browser: { permission: 'auto' },
    'core-tools': { allowPrivateHosts: ['127.0.0.1'] },
    'chat-completions': { baseUrl: models.url, apiKey: 'k', models: ['m'] },
  };
  const service = await startService({ settings: { plugins: { directories: [], config } } });
  try {
    const { session } = await service.client.createSession({ model: 'm' });
    await service.client.sendAndWait(session.id, 'go');
    const { pids } = browserProcesses(service.pid);
    assert.ok(pids.length > 1, `${pids.length} processes`);
    const began = performance.now();
    await service.kill();
    await eventually(10_000, () => pids.every((pid) => !existsSync(`/proc/${pid}`)), 'the end of the browser');
    console.log(
      `figures: ${pids.length} browser processes ended ${Math.round(performance.now() - began)} ms after kill -9`,
    );
  } finally {
    await service.kill().catch(() => undefined);
    await models.close();
    await site.close();
  }
});

lifecycle.run();
