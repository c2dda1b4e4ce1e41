import { readFileSync, statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleBench, hasBrowser, holds, send, startBench, withPage } from './console-bench.ts';

const sizes = suite('The console: weight');
const speed = suite('The console: speed');

/** The budgets are for two idle cores; a test machine gets half as much again, and what other work takes from it. */
const slack = 1.5;
const kilobytes = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0) / 1024;

interface Meta {
  outputs: Record<string, { imports: { path: string; kind: string }[] }>;
}

function figure(name: string, value: number, most: number, unit: string): void {
  console.log(`\nFIGURE ${name}: ${value.toFixed(1)} ${unit} (at most ${most.toFixed(0)})`);
  assert.ok(value <= most, `${name}: ${value.toFixed(1)} ${unit}, ${most.toFixed(0)} are allowed`);
}

/** An output with everything that it imports at once. */
function withImports(meta: Meta, file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const { path, kind } of meta.outputs[file]?.imports ?? [])
    if (kind === 'import-statement') withImports(meta, path, seen);
  return seen;
}

sizes('first load and everything stay within their budgets', () => {
  const meta: Meta = JSON.parse(readFileSync('dist/public-meta.json', 'utf8'));
  const scripts = Object.keys(meta.outputs).filter((file) => file.endsWith('.js'));
  figure('JavaScript of the first load', kilobytes(withImports(meta, 'dist/public/app.js')), 75, 'KB gz');
  figure('all JavaScript', kilobytes(scripts), 140, 'KB gz');
  figure('styles', kilobytes(['dist/public/app.css']), 14, 'KB gz');
  figure('index.html', statSync('dist/public/index.html').size / 1024, 6, 'KB');
});

let bench: ConsoleBench;
speed.before(async () => {
  bench = await startBench();
});
speed.after(() => bench.close());

/** How much slower the page runs because others use the machine: the slowest of equal pieces of work against the fastest. */
async function contention(page: Page): Promise<number> {
  const factor = await page.evaluate(`(async () => {
    const times = [];
    for (let run = 0; run < 12; run++) {
      const started = performance.now();
      for (let at = 0, sum = 0; at < 8e6; at++) sum += at % 7;
      times.push(performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve));
    }
    return Math.max(...times.slice(2)) / Math.min(...times);
  })()`);
  return Math.min(6, Math.max(1, Number(factor)));
}

/** Answers for the transcript of any session with so many messages; everything else is the service's. */
async function longTranscripts(page: Page, count: number): Promise<void> {
  const text = `## Part\n\n${'Some **bold** words and `code` in a sentence. '.repeat(18)}\n\n- one\n- two\n\n\`\`\`ts\nconst a = 1;\n\`\`\`\n`;
  const messages = Array.from({ length: count }, (_, at) => ({
    id: `msg_${at}`,
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: at % 2 === 0 ? `Question ${at}` : `${text}${at}`,
    createdAt: new Date(at * 1_000).toISOString(),
  }));
  const body = JSON.stringify({ messages, more: false, total: count, lastSeq: 0 });
  await page.route('**/messages?*', (route) => route.fulfill({ contentType: 'application/json', body }));
}

/** Milliseconds from the start of `act` until `done`, by the page's own frames. */
function timed(page: Page, act: string, done: string): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    const started = performance.now();
    ${act};
    const look = () => (${done}) ? resolve(performance.now() - started) : requestAnimationFrame(look);
    requestAnimationFrame(look);
  })`) as Promise<number>;
}

speed('a cold load paints and is ready to be typed into', async () => {
  const paints: number[] = [];
  const ready: number[] = [];
  let busy = 1;
  for (let run = 0; run < 3; run++)
    await withPage(bench, async (page) => {
      await page.locator('.composer textarea').waitFor();
      ready.push(Number(await page.evaluate('performance.now()')));
      await holds(page, `performance.getEntriesByName('first-contentful-paint').length > 0`);
      paints.push(Number(await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`)));
      busy = Math.max(busy, await contention(page));
    });
  figure('first paint', Math.min(...paints), 300 * slack * busy, 'ms');
  figure('composer usable', Math.min(...ready), 600 * slack * busy, 'ms');
});

speed('1,000 messages open in a moment, and a session that is open already at once', async () => {
  const [one, two] = [await bench.newSession('Long one'), await bench.newSession('Long two')];
  await withPage(bench, async (page) => {
    await longTranscripts(page, 1_000);
    await page.locator('.session-row', { hasText: 'Long two' }).waitFor();
    await page.evaluate(`location.hash = '#/s/${one}'`);
    await holds(page, `document.querySelectorAll('.message').length === 1000`);
    await page.evaluate(`location.hash = '#/s/${two}'`);
    await holds(
      page,
      `document.querySelector('h1')?.textContent === 'Long two' && document.querySelectorAll('.message').length === 1000`,
    );
    const drawn = await page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/messages?')).at(-1).responseEnd`,
    );
    assert.ok(Number(drawn) > 0);
    const times: number[] = [];
    for (const [id, title] of [
      [one, 'Long one'],
      [two, 'Long two'],
      [one, 'Long one'],
    ])
      times.push(
        await timed(
          page,
          `location.hash = '#/s/${id}'`,
          `document.querySelector('h1')?.textContent === '${title}' && document.querySelectorAll('.message').length === 1000`,
        ),
      );
    const again = Math.min(...times);
    figure('1,000 messages, cached session, to the first frame', again, 150 * slack * (await contention(page)), 'ms');
    const parsed = Number(await page.evaluate(`document.querySelectorAll('.markdown h2').length`));
    assert.ok(parsed < 60, `${parsed} messages were parsed although few are in view`);
  });
});

speed('5,000 deltas a second: frames stay short, and the text is complete', async () => {
  const steps = Array.from({ length: 300 }, (_, step) => [
    { text: Array.from({ length: 50 }, (_, at) => `w${step}.${at}${at === 49 ? '\n\n' : ' '}`) },
    { delayMs: 9 },
  ]).flat();
  bench.model.reply([{ hold: 'flood' }, ...steps]);
  bench.model.hold('flood');
  await withPage(
    bench,
    async (page) => {
      await send(page, 'flood');
      await page.locator('.working').waitFor();
      await page.evaluate(`(() => {
      window.frames = [];
      window.longest = 0;
      let last = performance.now();
      const tick = (now) => { window.frames.push(now - last); last = now; window.ticking = requestAnimationFrame(tick); };
      requestAnimationFrame(tick);
      new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration); }).observe({ type: 'longtask' });
    })()`);
      bench.model.release('flood');
      await page.getByRole('button', { name: /^Show all/ }).waitFor({ timeout: 40_000 });
      const frames = (await page.evaluate('window.frames')) as number[];
      await page.getByRole('button', { name: /^Show all/ }).click();
      const busy = await contention(page);
      const sorted = frames.toSorted((a, b) => a - b);
      figure(
        '5,000 deltas/s, 95th of 100 frames',
        sorted[Math.floor(sorted.length * 0.95)] ?? 0,
        33 * slack * busy,
        'ms',
      );
      figure('5,000 deltas/s, longest task', Number(await page.evaluate('window.longest')), 100 * slack * busy, 'ms');
      const id = /s\/(ses_\w+)/.exec(page.url())?.[1] ?? '';
      const { session } = await bench.service.client.readSession(id);
      const shown = await page.locator('.assistant:not(.live) .markdown').textContent();
      const words = (text: string | null | undefined) => text?.split(/\s+/).filter(Boolean).join(' ');
      assert.is(words(shown), words(session.messages.at(-1)?.content));
    },
    { ms: 90_000 },
  );
});

speed('twenty sessions that were opened and left are not kept in memory', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 21; at++) ids.push(await bench.newSession(`Switch ${at}`));
  await withPage(
    bench,
    async (page, context) => {
      await longTranscripts(page, 300);
      const devtools = await context.newCDPSession(page);
      const heap = async () => {
        await devtools.send('HeapProfiler.collectGarbage');
        const { usedSize } = await devtools.send('Runtime.getHeapUsage');
        return usedSize / 1_048_576;
      };
      const visit = async (id: string | undefined, at: number) => {
        await page.evaluate(`location.hash = '#/s/${id}'`);
        await holds(
          page,
          `document.querySelector('h1')?.textContent === 'Switch ${at}' && document.querySelectorAll('.message').length === 300`,
        );
      };
      await visit(ids[0], 0);
      const before = await heap();
      for (let at = 1; at < 21; at++) await visit(ids[at], at);
      await page.evaluate(`location.hash = '#/'`);
      await page.locator('.setup').waitFor();
      figure('heap after opening and leaving 20 sessions', (await heap()) - before, 15, 'MB more');
    },
    { ms: 90_000 },
  );
});

sizes.run();
if (hasBrowser()) speed.run();
