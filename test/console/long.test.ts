import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startOf } from '../../public/state/row-start.ts';
import { type ConsoleBench, hasBrowser, holds, openSession, startBench, withPage } from './console-bench.ts';
import { longTranscripts } from './long-transcripts.ts';

const rules = suite('The console: which rows of a long transcript are in the page');
const test = suite('The console: long transcripts');
let bench: ConsoleBench;

const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ key: `k${at}` }));

rules('up to 2,000 rows all of them; above that the newest 600 while the reader is at the end', () => {
  assert.is(startOf(rows(2_000), undefined, true), 0);
  assert.is(startOf(rows(2_001), undefined, true), 1_401);
  assert.is(startOf(rows(2_001), 'k0', false), 0);
  assert.is(startOf(rows(5_000), 'k300', false), 300);
  assert.is(startOf(rows(5_000), 'k4400', false), 4_400);
  assert.is(startOf(rows(5_000), 'gone', false), 4_400);
  assert.is(startOf([], undefined, true), 0);
});

test.before(async () => {
  bench = await startBench();
});
test.after(() => bench.close());

const shown = (page: Page) => page.locator('.message').count();

/** Resolves when nothing has moved for five frames. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    let last = '';
    let still = 0;
    const look = () => {
      const now = [...document.querySelectorAll('.message')].map((one) => Math.round(one.getBoundingClientRect().top)).join();
      still = now === last ? still + 1 : 0;
      last = now;
      if (still >= 5) resolve();
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

/** Scrolls to the top as a reader does, and waits until older rows stand above. */
async function scrollUp(page: Page): Promise<void> {
  const before = await page.locator('.message').first().getAttribute('data-message');
  await page.mouse.move(700, 400);
  await page.mouse.wheel(0, -200);
  // Again and again: rows that come into view are drawn then, and push the top away.
  await holds(
    page,
    `(() => {
      document.querySelector('.transcript').scrollTop = 60;
      return document.querySelector('.message').dataset.message !== '${before}';
    })()`,
  );
}

test('4,000 messages come page by page, what is read stays in place, and the end lets go of what is far above', async () => {
  const id = await bench.newSession('Very long');
  await withPage(bench, async (page) => {
    await longTranscripts(page, 4_000);
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/messages?*before=*', async (route) => {
      await gate;
      await route.fallback();
    });
    await openSession(page, id);
    await holds(page, `document.querySelectorAll('.message').length === 1000`);
    await page.mouse.move(700, 400);
    await page.mouse.wheel(0, -200);
    await page.evaluate(`document.querySelector('.transcript').scrollTop = 400`);
    // What comes into view is drawn first; then a row that is in view is the mark.
    await settled(page);
    const mark = await page.evaluate(`(() => {
      const top = document.querySelector('.transcript').getBoundingClientRect().top;
      window.mark = [...document.querySelectorAll('.message')].find((one) => one.getBoundingClientRect().top >= top);
      return window.mark.getBoundingClientRect().top;
    })()`);
    release();
    await holds(page, `document.querySelectorAll('.message').length > 1000`);
    await settled(page);
    const after = await page.evaluate('window.mark.getBoundingClientRect().top');
    assert.ok(Math.abs(Number(after) - Number(mark)) <= 1, `what was read moved from ${mark} to ${after}`);
    while ((await shown(page)) <= 2_000) await scrollUp(page);
    const most = await shown(page);
    assert.ok(most > 2_000 && most < 4_000, `${most} rows are in the page`);
    await page.locator('.to-end button').click();
    await holds(page, `document.querySelectorAll('.message').length === 600`);
    assert.is(await page.locator('.message').last().getAttribute('data-message'), 'msg_3999');
    await holds(
      page,
      `(() => { const s = document.querySelector('.transcript'); return s.scrollHeight - s.clientHeight - s.scrollTop <= 2; })()`,
    );
  });
});

test('where the browser keeps nothing in its place, what is read does not move either', async () => {
  const id = await bench.newSession('By hand');
  await withPage(bench, async (page) => {
    // As Safari.
    await page.addInitScript(`{
      const { supports } = CSS;
      CSS.supports = (name, ...rest) => name !== 'overflow-anchor' && supports.call(CSS, name, ...rest);
    }`);
    await page.reload();
    await longTranscripts(page, 1_200);
    await openSession(page, id);
    await holds(page, `document.querySelectorAll('.message').length === 1000`);
    await page.evaluate(`document.querySelector('.transcript').style.overflowAnchor = 'none'`);
    await page.mouse.move(700, 400);
    await page.mouse.wheel(0, -200);
    await page.locator('.to-end').waitFor();
    const moved = (await page.evaluate(readUp)) as number[];
    assert.ok(moved.length >= 20, `${moved.length} steps`);
    assert.equal(
      moved.filter((by) => Math.abs(by - 150) > 2),
      [],
    );
    await page.evaluate(`document.querySelector('.transcript').scrollTop = 300`);
    await holds(page, `document.querySelectorAll('.message').length > 1000`);
    await settled(page);
    assert.ok(
      Number(await page.evaluate(`document.querySelector('.transcript').scrollTop`)) > 1_000,
      'rows came above',
    );
  });
});

/** Scrolls up in steps of 150 px, and tells by how much what was in the middle has moved with each. */
const readUp = `(async () => {
  const scroller = document.querySelector('.transcript');
  const { left, top, width, height } = scroller.getBoundingClientRect();
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const moved = [];
  for (let step = 0; step < 40; step++) {
    const row = document.elementFromPoint(left + width / 2, top + height / 2).closest('.column > *');
    const before = row?.getBoundingClientRect().top;
    scroller.scrollTop -= 150;
    for (let frames = 0; frames < 6; frames++) await frame();
    if (row) moved.push(row.getBoundingClientRect().top - before);
  }
  return moved;
})()`;

test('a link to a message that is far above puts it into the page and stays there', async () => {
  const id = await bench.newSession('Linked');
  await withPage(bench, async (page) => {
    await longTranscripts(page, 900);
    await page.evaluate(`location.hash = '#/s/${id}/m/msg_300'`);
    await holds(
      page,
      `(() => {
        const row = document.getElementById('message-msg_300')?.getBoundingClientRect();
        return row !== undefined && row.top > 0 && row.bottom < innerHeight;
      })()`,
    );
    await page.locator('.to-end').waitFor();
  });
});

rules.run();
if (hasBrowser()) test.run();
