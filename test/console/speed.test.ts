import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { p95, within3 } from './calibrate.ts';
import { type ConsoleBench, hasBrowser, holds, openSession, send, startBench, withPage } from './console-bench.ts';
import { longTranscripts } from './long-transcripts.ts';

const test = suite('The console: speed');
let bench: ConsoleBench;

const paragraphs = 300;
/** 15,000 deltas of one word each, 50 at a time. */
const flooding = Array.from({ length: paragraphs }, (_, step) => [
  { text: Array.from({ length: 50 }, (_, at) => `w${step}.${at}${at === 49 ? '\n\n' : ' '}`) },
  { delayMs: 9 },
]).flat();

test.before(async () => {
  bench = await startBench({ answer: () => [{ hold: 'flood' }, ...flooding] });
});
test.after(() => bench.close());

/** Milliseconds from the start of `act` until the frame in which `done` is true has been painted. */
function timed(page: Page, act: string, done: string, from = 'started'): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    const started = performance.now();
    ${act};
    const painted = new MessageChannel();
    painted.port1.onmessage = () => resolve(performance.now() - (${from}));
    const look = () => (${done}) ? painted.port2.postMessage(0) : requestAnimationFrame(look);
    requestAnimationFrame(look);
  })`) as Promise<number>;
}

const newest = (title: string) =>
  `document.querySelector('h1')?.textContent === '${title}' && document.getElementById('message-msg_999') !== null`;
const rows = (count: number, title: string) =>
  `document.querySelector('h1')?.textContent === '${title}' && document.querySelectorAll('.message').length === ${count}`;

test('1,000 messages open in a moment, scroll smoothly, and come back at once', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 4; at++) ids.push(await bench.newSession(`Long ${at}`));
  await withPage(
    bench,
    async (page, context) => {
      await longTranscripts(page, 1_000);
      await page.locator('.session-row', { hasText: 'Long 3' }).waitFor();
      let next = 0;
      const lastAnswer = `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/messages?')).at(-1).responseEnd`;
      await within3(
        page,
        { name: '1,000 messages, from their arrival to the first frame', most: 150, unit: 'ms' },
        () => {
          const at = next++;
          return timed(page, `location.hash = '#/s/${ids[at]}'`, newest(`Long ${at}`), lastAnswer);
        },
      );
      await holds(page, rows(1_000, `Long ${next - 1}`));
      const parsed = Number(await page.evaluate(`document.querySelectorAll('.markdown h2').length`));
      assert.ok(parsed < 60, `${parsed} messages were parsed although few are in view`);
      await openSession(page, ids[3] ?? '');
      await holds(page, rows(1_000, 'Long 3'));
      const again = Number(await page.evaluate(`document.querySelectorAll('.markdown h2').length`));
      assert.ok(again < 60, `${again} messages were parsed when a session was come back to`);
      const other = next - 1;
      await within3(page, { name: 'back to a session that is open already', most: 100, unit: 'ms' }, async () => {
        await openSession(page, ids[other] ?? '');
        await holds(page, rows(1_000, `Long ${other}`));
        return timed(page, `location.hash = '#/s/${ids[3]}'`, newest('Long 3'));
      });
      await holds(page, rows(1_000, 'Long 3'));
      await page.mouse.move(700, 400);
      const devtools = await context.newCDPSession(page);
      await devtools.send('Performance.enable');
      const layouts = async () => {
        const { metrics } = await devtools.send('Performance.getMetrics');
        return metrics.find(({ name }) => name === 'LayoutCount')?.value ?? Number.NaN;
      };
      const turns = 60;
      let scrolled = Number.NaN;
      await within3(
        page,
        { name: 'wheel through 1,000 messages, 95th of 100 frames', most: 20, unit: 'ms' },
        async () => {
          await page.evaluate(watchFrames);
          const before = await layouts();
          for (let turn = 0; turn < turns; turn++) await page.mouse.wheel(0, turn % 20 < 15 ? -240 : 240);
          const frames = await takeFrames(page);
          scrolled = (await layouts()) - before;
          return p95(frames);
        },
      );
      assert.ok(scrolled <= 4 * turns, `${turns} turns of the wheel cost ${scrolled} layouts`);
    },
    { ms: 120_000 },
  );
});

/** Collects the time of every frame, and the longest task, in the page. */
const watchFrames = `(() => {
  window.frames95 = [];
  window.longest = 0;
  let last = performance.now();
  const tick = (now) => { window.frames95.push(now - last); last = now; window.ticking = requestAnimationFrame(tick); };
  window.ticking = requestAnimationFrame(tick);
  window.tasks ??= new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  });
  window.tasks.observe({ type: 'longtask' });
})()`;

/** Counts how often the transcript changes, and the paragraphs that are drawn, the same one again included. */
const watchChanges = `(() => {
  Object.assign(window, { flushes: 0, added: 0 });
  window.changes?.disconnect();
  window.changes = new MutationObserver((records) => {
    window.flushes++;
    for (const { addedNodes } of records) for (const node of addedNodes) if (node.tagName === 'P') window.added++;
  });
  window.changes.observe(document.querySelector('.transcript'), { childList: true, subtree: true, characterData: true });
})()`;

async function takeFrames(page: Page): Promise<number[]> {
  return (await page.evaluate(`(cancelAnimationFrame(window.ticking), window.frames95)`)) as number[];
}

test('5,000 deltas a second: frames stay short, keys are painted at once, and the text is complete', async () => {
  await withPage(
    bench,
    async (page) => {
      let longest = 0;
      let key = 0;
      const flood = async (): Promise<number> => {
        bench.model.hold('flood');
        await page.evaluate(`location.hash = '#/'`);
        await page.locator('.setup').waitFor();
        await send(page, 'flood');
        await page.locator('.working').waitFor();
        await page.evaluate(watchFrames);
        await page.evaluate(`(() => {
          window.keys = [];
          window.keyWatch?.disconnect();
          window.keyWatch = new PerformanceObserver((list) => {
            for (const { name, duration } of list.getEntries()) if (name === 'keydown') window.keys.push(duration);
          });
          window.keyWatch.observe({ type: 'event', durationThreshold: 16 });
        })()`);
        await page.locator('.composer textarea').focus();
        await page.evaluate(watchChanges);
        bench.model.release('flood');
        await page.locator('.live', { hasText: 'w20.' }).waitFor();
        await page.keyboard.type('typed while it streams', { delay: 40 });
        await page.getByRole('button', { name: /^Show all/ }).waitFor({ timeout: 60_000 });
        const frames = await takeFrames(page);
        const [flushes, added] = (await page.evaluate('[window.flushes, window.added]')) as [number, number];
        assert.ok(flushes <= frames.length + 20, `${frames.length} frames, but ${flushes} changes of the page`);
        assert.ok(added <= 3 * paragraphs, `${paragraphs} paragraphs were drawn ${added} times`);
        longest = Number(await page.evaluate('window.longest'));
        key = p95((await page.evaluate('window.keys')) as number[]);
        await page.locator('.composer textarea').fill('');
        return p95(frames);
      };
      await within3(page, { name: '5,000 deltas/s, 95th of 100 frames', most: 33, unit: 'ms' }, flood);
      const again = (value: () => number) => {
        let first = true;
        return async () => {
          if (!first) await flood();
          first = false;
          return value();
        };
      };
      await within3(
        page,
        { name: '5,000 deltas/s, longest task', most: 100, unit: 'ms' },
        again(() => longest),
      );
      await within3(
        page,
        { name: '5,000 deltas/s, key to paint', most: 50, unit: 'ms' },
        again(() => key),
      );
      await page.getByRole('button', { name: /^Show all/ }).click();
      const id = /s\/(ses_\w+)/.exec(page.url())?.[1] ?? '';
      const { session } = await bench.service.client.readSession(id);
      const shown = await page.locator('.assistant:not(.live) .markdown').textContent();
      const words = (text: string | null | undefined) => text?.split(/\s+/).filter(Boolean).join(' ');
      assert.is(words(shown), words(session.messages.at(-1)?.content));
    },
    { ms: 150_000 },
  );
});

test('a list of 200 sessions is drawn in a moment', async () => {
  await withPage(bench, async (page) => {
    await page.route('**/api/sessions', async (route) => {
      const response = await route.fetch();
      const { sessions } = await response.json();
      const many = Array.from({ length: 200 }, (_, at) => ({
        ...sessions[0],
        id: `ses_${at}`,
        title: `Session ${at}`,
      }));
      await route.fulfill({ response, json: { sessions: many } });
    });
    await page.reload();
    await holds(page, `document.querySelectorAll('.session-row').length === 200`);
    const type = (text: string) => `(() => {
      const input = document.querySelector('.search input');
      input.value = '${text}';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    })()`;
    await within3(page, { name: 'a list of 200 sessions', most: 50, unit: 'ms' }, async () => {
      await timed(page, type('nothing like it'), `document.querySelectorAll('.session-row').length === 0`);
      return timed(page, type(''), `document.querySelectorAll('.session-row').length === 200`);
    });
  });
});

if (hasBrowser()) test.run();
else suite('The console: speed, skipped').run();
