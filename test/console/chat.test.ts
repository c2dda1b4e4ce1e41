import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleBench, hasBrowser, holds, openSession, send, startBench, withPage } from './console-bench.ts';
import { intercept } from './intercept.ts';

const test = suite('The console: chat');
let bench: ConsoleBench;

test.before(async () => {
  bench = await startBench();
});
test.after(() => bench.close());

const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at} `);

test('a message from the first screen creates a session and streams an answer; the end is a fresh rendering', async () => {
  const code = '```ts\nconst a: number = 1;\n```';
  const text = `# Title\n\nSome **bold** and \`src/a.ts:3\`.\n\n- one\n- two\n\n${code}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n`;
  bench.model.reply([{ text: text.match(/[\s\S]{1,7}/g) ?? [] }]);
  await withPage(bench, async (page) => {
    await send(page, 'hello there');
    await page.locator('.message.user .said', { hasText: 'hello there' }).waitFor();
    await page.locator('.assistant:not(.live) .markdown h1', { hasText: 'Title' }).waitFor();
    const shown = page.locator('.assistant:not(.live) .markdown');
    assert.is(await shown.locator('li').count(), 2);
    assert.is(await shown.locator('table td').count(), 2);
    assert.match((await shown.locator('a.file-link').getAttribute('href')) ?? '', /files\/src\/a\.ts\?line=3$/);
    await shown.locator('.code-block .tok-keyword').first().waitFor();
    const streamed = await shown.innerHTML();
    await page.reload();
    await page.locator('.assistant:not(.live) .code-block .tok-keyword').first().waitFor();
    assert.is(await shown.innerHTML(), streamed);
  });
});

test('code of one endless line keeps no other code from its colours', async () => {
  const endless = `\`\`\`ini\n${'a'.repeat(95_000)}\n\`\`\``;
  bench.model.reply([{ text: `${endless}\n\n\`\`\`ts\nconst a = 1;\n\`\`\`\n` }]);
  await withPage(bench, async (page) => {
    await send(page, 'something long');
    await page.locator('.assistant:not(.live) .code-block .tok-keyword').waitFor();
  });
});

for (const [what, hostile, shown] of [
  ['an endless word', `${'a'.repeat(150_000)}@ and *not* bold`, 'aaa@ and *not* bold'],
  ['emphasis that never ends', '**a* '.repeat(18_000), '**a* **a* **a*'],
  [
    'a table of ten million cells',
    `${'| a '.repeat(1_000)}|\n${'|-'.repeat(1_000)}|\n${'|a\n'.repeat(10_000)}`,
    '|a |a |a',
  ],
] as const)
  test(`${what} stands as it is, and holds up nothing`, async () => {
    bench.model.reply([{ text: [`**before**\n\n${hostile}`, '\n\n**behind**'] }]);
    await withPage(bench, async (page) => {
      await send(page, what);
      const reply = page.locator('.assistant:not(.live)');
      await reply.locator('strong', { hasText: 'before' }).waitFor();
      const all = reply.getByRole('button', { name: 'Show all' });
      if (await all.count()) await all.click();
      await reply.locator('strong', { hasText: 'behind' }).waitFor();
      await reply.filter({ hasText: shown }).waitFor();
    });
  });

test('text is painted while it streams, before the reply is complete', async () => {
  bench.model.reply([{ text: words(20) }, { hold: 'middle' }, { text: 'the end' }]);
  bench.model.hold('middle');
  await withPage(bench, async (page) => {
    await send(page, 'stream');
    await page.locator('.live .markdown', { hasText: 'word19' }).waitFor();
    assert.is(await page.locator('.assistant:not(.live)').count(), 0);
    bench.model.release('middle');
    await page.locator('.assistant:not(.live) .markdown', { hasText: 'the end' }).waitFor();
    assert.is(await page.locator('.live').count(), 0);
  });
});

test('reasoning streams into a capped box and folds when the text begins; nothing above it moves', async () => {
  bench.model.reply([{ reasoning: words(400) }, { hold: 'thought' }, { text: ['Now ', 'I know.'] }]);
  bench.model.hold('thought');
  await withPage(bench, async (page) => {
    await send(page, 'think');
    const box = page.locator('.live .reasoning-text');
    await box.getByText('word399').waitFor();
    assert.ok(((await box.boundingBox())?.height ?? 999) <= 170);
    const question = page.locator('.message.user').first();
    const before = await question.boundingBox();
    bench.model.release('thought');
    await page.locator('.assistant:not(.live) .markdown', { hasText: 'I know.' }).waitFor();
    assert.equal(await question.boundingBox(), before);
    assert.is(await page.locator('.assistant .reasoning-text').isVisible(), false);
    assert.match(await page.locator('.assistant .reasoning summary').innerText(), /Thought/);
  });
});

test('scrolling up during a stream holds the position; the pill returns to the end and follows again', async () => {
  bench.model.reply([
    { text: Array.from({ length: 60 }, (_, at) => `Paragraph ${at}.\n\n`) },
    { hold: 'scrolled' },
    ...Array.from({ length: 20 }, (_, at) => [{ text: `More ${at}.\n\n` }, { delayMs: 30 }]).flat(),
    { hold: 'back' },
    { text: 'The very end.' },
  ]);
  bench.model.hold('scrolled');
  bench.model.hold('back');
  await withPage(bench, async (page) => {
    await send(page, 'long');
    await page.locator('.live', { hasText: 'Paragraph 59' }).waitFor();
    await page.mouse.move(700, 400);
    await page.mouse.wheel(0, -700);
    await page.locator('.to-end').waitFor();
    const target = page.locator('.live p', { hasText: 'Paragraph 40.' });
    const before = (await target.boundingBox())?.y ?? Number.NaN;
    bench.model.release('scrolled');
    await page.locator('.live', { hasText: 'More 19' }).waitFor();
    assert.ok(Math.abs(((await target.boundingBox())?.y ?? 0) - before) <= 1);
    await page.locator('.to-end button').click();
    bench.model.release('back');
    await page.locator('.assistant p', { hasText: 'The very end.' }).waitFor();
    await holds(
      page,
      `(() => { const s = document.querySelector('.transcript'); return s.scrollHeight - s.clientHeight - s.scrollTop <= 2; })()`,
    );
  });
});

test('ten tool calls make one group; what failed is open and marked; output, arguments and time are there', async () => {
  const calls = Array.from({ length: 9 }, (_, at) => ({
    toolCall: { id: `c${at}`, name: 'list_files', arguments: { path: '.' } },
  }));
  bench.model.reply(
    [...calls, { toolCall: { id: 'bad', name: 'read_file', arguments: { path: 'missing.txt' } } }],
    [{ text: 'All done.' }],
  );
  await withPage(bench, async (page, context) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await send(page, 'use tools');
    await page.getByText('All done.').waitFor();
    const head = page.locator('.tools-head');
    assert.match(await head.innerText(), /10 tool calls[\s\S]*1 failed/);
    assert.is(await page.locator('.tool').count(), 1);
    const failed = page.locator('.tool.failed');
    assert.match(await failed.innerText(), /failed[\s\S]*read_file[\s\S]*missing\.txt/);
    await failed.locator('.terminal pre').waitFor();
    assert.is(await failed.locator('.tool-head').getAttribute('aria-expanded'), 'true');
    await head.click();
    assert.is(await page.locator('.tool').count(), 10);
    await failed.getByRole('tab', { name: 'Arguments' }).click();
    assert.match(await failed.locator('.terminal').innerText(), /"path": "missing\.txt"/);
    await failed.getByRole('button', { name: 'Copy arguments' }).click();
    await page.locator('.toast', { hasText: 'Copied' }).waitFor();
    assert.is(await page.evaluate('navigator.clipboard.readText()'), '{\n  "path": "missing.txt"\n}');
  });
});

test('hostile text runs nothing, loads nothing and breaks nothing', async () => {
  const hostile = [
    '<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>',
    '[click](javascript:window.hacked=3) [data](data:text/html,<script>1</script>)',
    '![tracker](http://tracker.example/pixel.png)',
    '<svg onload="window.hacked=4"></svg><iframe src="http://evil.example"></iframe>',
    `${'>'.repeat(2_000)} deep`,
  ].join('\n\n');
  bench.model.reply([{ text: hostile }]);
  await withPage(bench, async (page) => {
    await send(page, '<b onclick=1>not markup</b>');
    await page.locator('.assistant:not(.live)').waitFor();
    assert.is(await page.evaluate('window.hacked'), undefined);
    assert.is(await page.locator('.assistant img, .assistant iframe, .assistant script, .assistant svg.x').count(), 0);
    assert.is(await page.locator('.assistant a[href^="javascript"], .assistant a[href^="data"]').count(), 0);
    assert.match(await page.locator('.message.user .said').innerText(), /<b onclick=1>/);
  });
});

test('a session of another tab or program shows up, and one that is deleted goes away', async () => {
  const id = await bench.newSession('Made elsewhere');
  await withPage(bench, async (page) => {
    await page.getByRole('link', { name: 'Made elsewhere' }).waitFor();
    const later = await bench.newSession('Made later');
    await page.getByRole('link', { name: 'Made later' }).waitFor();
    await bench.service.client.deleteSession(later);
    await page.getByRole('link', { name: 'Made later' }).waitFor({ state: 'detached' });
    await openSession(page, id);
    await bench.service.client.deleteSession(id);
    await page.getByText('This session is not there').waitFor();
  });
});

test('a conversation that can not be loaded says why, and comes when it is tried again', async () => {
  const id = await bench.newSession('Out of reach');
  await withPage(
    bench,
    async (page) => {
      // The stream stands: it would read the conversation again by itself when it opens.
      await page.locator('.pill.ok').waitFor();
      await intercept(page, '**/messages?*', (route) => route.abort());
      await openSession(page, id);
      await page.getByText('The conversation could not be loaded: The server is not reachable.').waitFor();
      await page.unroute('**/messages?*');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('Nothing has been said yet.').waitFor();
      assert.is(await page.getByRole('alert').count(), 0);
    },
    { allowed: /ERR_FAILED/ },
  );
});

test('copying works without the clipboard too, as on plain http', async () => {
  bench.model.reply([{ text: 'Copy **this**, exactly.' }]);
  await withPage(bench, async (page) => {
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await send(page, 'something to copy');
    const reply = page.locator('.assistant:not(.live)');
    await reply.waitFor();
    await reply.hover();
    await reply.getByRole('button', { name: 'Copy as Markdown' }).click();
    await page.getByText('Copied.').waitFor();
    await page.locator('.composer textarea').focus();
    await page.keyboard.press('Control+V');
    assert.is(await page.locator('.composer textarea').inputValue(), 'Copy **this**, exactly.');
  });
});

if (hasBrowser()) test.run();
else suite('The console: chat, skipped').run();
