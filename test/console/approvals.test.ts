import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Reply } from '../helpers/scripted-model/script.ts';
import type { RecordedRequest } from '../helpers/scripted-model-server.ts';
import { armed, type ConsoleBench, hasBrowser, openSession, send, startBench, withPage } from './console-bench.ts';
import { intercept } from './intercept.ts';

const test = suite('The console: approvals');
let bench: ConsoleBench;

const shell = (command: string): Reply => [{ toolCall: { name: 'shell', arguments: { command } } }];

test.before(async () => {
  bench = await startBench({
    settings: { plugins: { config: { 'sub-agents': { exposeApprovalTools: true, maxDepth: 3 } } } },
    answer,
  });
});
test.after(() => bench.close());

/** Delegates twice, asks for a shell command at the bottom, and is content with every result. */
function answer({ body }: RecordedRequest): Reply {
  const messages = body.messages as { role: string; content: unknown }[];
  const last = messages.at(-1);
  const text = JSON.stringify(last?.content ?? '');
  if (last?.role !== 'user') return [{ text: 'done' }];
  const asking = ['ask this', 'ask that'].map((task) => ({ task }));
  if (text.includes('both at once')) return [{ toolCall: { name: 'delegate_many', arguments: { tasks: asking } } }];
  if (text.includes('level one')) return [{ toolCall: { name: 'delegate', arguments: { task: 'level two' } } }];
  if (text.includes('level two')) return [{ toolCall: { name: 'delegate', arguments: { task: 'level three' } } }];
  return text.includes('level three') || text.includes('ask') ? shell('echo from-below') : [{ text: 'done' }];
}

test('the dock appears without taking the focus; typing decides nothing; the keys do', async () => {
  await withPage(bench, async (page) => {
    await send(page, 'ask me');
    const dock = page.locator('.dock .approval');
    await dock.waitFor();
    assert.match(await dock.innerText(), /echo from-below/);
    assert.is(await page.evaluate('document.activeElement.tagName'), 'TEXTAREA');
    await page.keyboard.type('y');
    await page.keyboard.press('Enter');
    assert.is(await page.locator('.queue li').count(), 1);
    assert.is(await dock.count(), 1);
    await page.locator('.queue').getByRole('button', { name: 'Remove' }).click();
    await armed(page);
    await page.keyboard.press('Control+Shift+A');
    assert.is(await page.evaluate(`document.activeElement.className`), 'approval');
    await page.keyboard.press('Enter');
    await page.locator('.assistant:not(.live)', { hasText: 'done' }).waitFor();
    assert.is(await dock.count(), 0);
    await page.locator('.tool .mark.done').waitFor();
  });
});

test('a decision with a note declines; one that comes too late says so', async () => {
  await withPage(
    bench,
    async (page) => {
      await send(page, 'ask again');
      const dock = page.locator('.dock .approval');
      await dock.waitFor();
      const approval = (await bench.service.client.listApprovals()).approvals[0];
      await armed(page);
      await dock.focus();
      await page.keyboard.press('n');
      await page.keyboard.type('too risky');
      // Somebody else was faster, and this page has not heard of it.
      await intercept(page, '**/approvals/*', (route) =>
        route.fulfill({ status: 404, json: { error: { code: 'approval_not_found', message: 'gone' } } }),
      );
      await page.getByRole('button', { name: /Decline/ }).click();
      await page.getByText('This was decided already.').waitFor();
      assert.is(await dock.count(), 0);
      await page.unroute('**/approvals/*');
      await bench.service.client.decideApproval(approval?.sessionId ?? '', approval?.id ?? '', {
        approved: false,
        note: 'too risky',
      });
      await page.locator('.tool.failed').waitFor();
    },
    { allowed: /404/ },
  );
});

test('a click that was meant for one question does not decide the one that takes its place', async () => {
  const { client } = bench.service;
  await withPage(bench, async (page) => {
    await send(page, 'both at once');
    const dock = page.locator('.dock .approval');
    await dock.getByText('1 of 2').waitFor();
    await armed(page);
    const shown = await dock.getAttribute('data-approval');
    const first = (await client.listApprovals()).approvals.find(({ id }) => id === shown);
    // As soon as the page shows the other one, before anything else can happen in it.
    await page.evaluate(`new MutationObserver((_, self) => {
      self.disconnect();
      [...document.querySelectorAll('.dock button')].find((one) => one.textContent.includes('Approve')).click();
      document.body.dataset.clicked = 'yes';
    }).observe(document.querySelector('.dock .approval'), { attributeFilter: ['data-approval'] })`);
    await client.decideApproval(first?.sessionId ?? '', first?.id ?? '', { approved: true });
    await page.locator('body[data-clicked]').waitFor();
    await page.waitForTimeout(500);
    assert.equal((await client.listApprovals()).approvals.length, 1);
    await armed(page);
    await page.getByRole('button', { name: /Approve/ }).click();
    await page.locator('.assistant:not(.live)', { hasText: 'done' }).waitFor();
  });
});

test('a reload while an approval waits changes nothing: it is there and can be decided', async () => {
  await withPage(bench, async (page) => {
    await send(page, 'ask, then reload');
    await page.locator('.dock .approval').waitFor();
    await page.reload();
    await page.locator('.dock .approval').waitFor();
    await armed(page);
    await page.getByRole('button', { name: /Approve/ }).click();
    await page.locator('.assistant:not(.live)', { hasText: 'done' }).waitFor();
  });
});

test('what a grandchild asks shows at the root and in the inbox of another session; deciding reaches it', async () => {
  await withPage(bench, async (page) => {
    await send(page, 'level one');
    const dock = page.locator('.dock .approval');
    await dock.waitFor();
    assert.match(await dock.innerText(), /sub-agent of level one/);
    assert.is(await page.locator('.children .children .session-row').count(), 1);
    const other = await bench.newSession('Somewhere else');
    await openSession(page, other);
    await page.locator('h1', { hasText: 'Somewhere else' }).waitFor();
    assert.is(await dock.count(), 0);
    assert.match(await page.title(), /^\(1\)/);
    await page.getByRole('button', { name: '1 waiting for you' }).click();
    const entry = page.locator('.inbox-entry .approval');
    await entry.waitFor();
    await armed(page);
    await entry.getByRole('button', { name: /Approve/ }).click();
    await page.getByText('Nothing waits for a decision.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: /^level one/ }).click();
    await page.locator('.assistant:not(.live)', { hasText: 'done' }).waitFor();
  });
});

if (hasBrowser()) test.run();
else suite('The console: approvals, skipped').run();
