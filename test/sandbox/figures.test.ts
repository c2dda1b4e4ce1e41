import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { type ConsoleBench, hasBrowser } from '../console/console-bench.ts';
import { eventually } from '../helpers/within.ts';
import { extension, stateOf, withOnly } from './bundle-folder.ts';
import { bundleSuite } from './scenery.ts';

const flood = `for (let i = 0; i < 100000; i++) dispatchEvent(new ErrorEvent('error', { message: 'flood ' + i }));`;

const test = bundleSuite('What bundles cost the console', (bundles) => {
  bundles.add('floods', extension(`setTimeout(() => { ${flood} }, 500);`));
  bundles.add('loops', extension(`element.textContent = 'mounted'; setTimeout(() => { for (;;); }, 500);`));
  bundles.add(
    'small',
    extension(`element.dataset.at = performance.timeOrigin + performance.now(); element.textContent = 'mounted';`, {
      slot: 'message.after',
    }),
  );
});

for (const name of ['floods', 'loops'])
  test(`the console stays alive while a bundle ${name}`, (fixture) =>
    withOnly(fixture, { names: [name] }, async (page) => {
      await page.evaluate(`(() => {
        let last = performance.now();
        window.lags = [];
        setInterval(() => { const now = performance.now(); lags.push(now - last - 50); last = now; }, 50);
      })()`);
      await stateOf(page, name, 'quarantined').waitFor({ timeout: 60_000 });
      const lags = JSON.parse(await page.evaluate('JSON.stringify(lags)')) as number[];
      const [median, worst] = [middle(lags), Math.max(...lags)];
      console.log(
        `\nFIGURE a bundle ${name}: a 50 ms timer of the console is late by ${median.toFixed(1)} ms (median), ${worst.toFixed(0)} ms (worst)`,
      );
      assert.ok(worst < 5_000, `the console stood still for ${worst} ms`);
    }));

test('a live frame', async (fixture) => {
  const { bench } = fixture;
  const id = await bench.newSession('Frames');
  for (let at = 0; at < 6; at++) await bench.service.client.sendAndWait(id, `message ${at}`);
  const total = async (names: string[]) => {
    let bytes = 0;
    await withOnly(fixture, { names, hash: '#/' }, async (page) => {
      await page.setViewportSize({ width: 1200, height: 3_000 });
      await page.evaluate(`window.inserted = []; new MutationObserver((all) => {
        for (const { addedNodes } of all) for (const node of addedNodes) if (node.nodeName === 'IFRAME' && node.title === 'small: x') inserted.push(performance.timeOrigin + performance.now());
      }).observe(document.body, { childList: true, subtree: true });`);
      await page.evaluate(`location.hash = '#/s/${id}'`);
      await eventually(40_000, async () => (await page.locator('.message').count()) >= 12, 'the messages');
      if (names.length > 0) await report(page);
      bytes = await memory(bench);
    });
    return bytes;
  };
  const without = await total([]);
  const withFrames = await total(['small']);
  const each = (withFrames - without) / 12 / 1e6;
  console.log(
    `\nFIGURE a live frame: ${each.toFixed(1)} MB (proportional set size of all browser processes, twelve frames, their process included)`,
  );
  assert.ok(each < 40, `${each} MB for one frame`);
});

/** From the moment a frame is put into the page to the moment its extension has mounted. */
async function report(page: Page): Promise<void> {
  const frames = page.locator('iframe[title="small: x"]');
  await eventually(40_000, async () => (await frames.count()) === 12, 'twelve frames');
  const roots = Array.from({ length: 12 }, (_, at) =>
    page.frameLocator(`iframe[title="small: x"] >> nth=${at}`).locator('#root', { hasText: 'mounted' }),
  );
  const mounted = await Promise.all(
    roots.map(async (root) => Number(await root.getAttribute('data-at', { timeout: 40_000 }))),
  );
  const inserted = JSON.parse(await page.evaluate('JSON.stringify(inserted)')) as number[];
  const spent = mounted.sort((a, b) => a - b).map((at, index) => at - (inserted[index] ?? 0));
  console.log(
    `\nFIGURE twelve frames at once: the first mounts after ${spent[0]?.toFixed(0)} ms, the median after ${middle(spent).toFixed(0)} ms`,
  );
}

/** The proportional set size of every process of the browser. */
async function memory({ browser }: ConsoleBench): Promise<number> {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  await devtools.detach();
  const sizes = processInfo.map(({ id }) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8'))?.[1]) * 1_024;
    } catch {
      return 0;
    }
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

if (hasBrowser()) test.run();
