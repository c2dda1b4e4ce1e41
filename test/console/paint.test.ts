import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleBench, hasBrowser, holds, openSession, send, startBench, withPage } from './console-bench.ts';

const test = suite('The console: how a reply is painted');
let bench: ConsoleBench;

test.before(async () => {
  bench = await startBench();
});
test.after(() => bench.close());

/**
 * Notes in `window.waited` how many frames each delta waits for its paint, counted from the moment at which it reaches
 * the tab. Listens on the tab's port to the shared worker, so it must be there before the page is.
 */
const frameCounter = `(() => {
  window.waited = [];
  const pending = [];
  let frame = 0;
  const look = () => {
    const shown = document.querySelector('.assistant:last-of-type')?.textContent ?? '';
    for (let at = pending.length - 1; at >= 0; at--)
      if (shown.includes(pending[at].word)) window.waited.push(frame - pending.splice(at, 1)[0].frame);
  };
  const count = () => {
    // Before anything that the page does in this frame: what is there is what the one before has painted.
    look();
    frame += 1;
    requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
  const note = ({ data }) => {
    for (const { event } of data?.t === 'events' ? data.envelopes : [])
      if (event.type === 'message.delta')
        for (const [word] of event.delta.matchAll(/w\\d+;/g)) pending.push({ word, frame });
  };
  const { set, get } = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage');
  Object.defineProperty(MessagePort.prototype, 'onmessage', {
    get,
    set(listener) {
      this.addEventListener('message', note);
      set.call(this, listener);
    },
  });
})()`;

/** Adds up in `window.shifted` how far things in the transcript moved without anybody having touched anything. */
const shiftObserver = `(() => {
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries())
      if (sources.some(({ node }) => (node?.closest ? node : node?.parentElement)?.closest('.transcript')))
        window.shifted += value;
  }).observe({ type: 'layout-shift' });
})()`;

test('every delta is painted within two frames', async () => {
  const words = Array.from({ length: 40 }, (_, at) => [{ text: `w${at}; ` }, { delayMs: 15 }]).flat();
  bench.model.reply(words);
  const id = await bench.newSession('Frames');
  await withPage(bench, async (page) => {
    await page.addInitScript(frameCounter);
    await page.reload();
    await openSession(page, id);
    await page.locator('.pill.ok').waitFor();
    await send(page, 'word by word');
    await page.locator('.assistant:not(.live)', { hasText: 'w39;' }).waitFor();
    await holds(page, 'window.waited.length === 40');
    const waited = (await page.evaluate('window.waited')) as number[];
    assert.ok(Math.max(...waited) <= 2, `a delta waited ${Math.max(...waited)} frames: ${waited.join(' ')}`);
  });
});

/** Every paint seems to take 20 ms, so that after each one a frame is left out. */
const slowPaints = `(() => {
  const now = performance.now.bind(performance);
  let late = 0;
  performance.now = () => now() + (late += 20);
})()`;

test('on a slow machine, where frames are left out, what came last is painted all the same', async () => {
  const steps = ['one', 'two', 'three', 'four'];
  bench.model.reply([
    ...steps.flatMap((step) => [{ reasoning: [`thought ${step}. `] }, { hold: step }]),
    { text: 'Said.' },
  ]);
  for (const step of steps) bench.model.hold(step);
  const id = await bench.newSession('Slow paints');
  await withPage(bench, async (page) => {
    await page.addInitScript(slowPaints);
    await page.reload();
    await openSession(page, id);
    await send(page, 'think');
    for (const step of steps) {
      await page.locator('.live .reasoning-text', { hasText: `thought ${step}.` }).waitFor();
      bench.model.release(step);
    }
    await page.locator('.assistant:not(.live)', { hasText: 'Said.' }).waitFor();
  });
});

test('a reply that thinks, writes code and ends moves nothing that stands already', async () => {
  const thoughts = Array.from({ length: 120 }, (_, at) => `thought ${at}. `);
  const code = ['```ts\n', ...Array.from({ length: 12 }, (_, at) => `const line${at} = ${at};\n`), '```\n\n'];
  bench.model.reply([
    { reasoning: thoughts },
    { hold: 'begun' },
    { text: ['I ', 'know ', 'now.\n\n', ...code, 'And ', 'that ', 'is ', 'it.'] },
    { hold: 'written' },
    { text: ' The end.' },
  ]);
  bench.model.hold('begun');
  bench.model.hold('written');
  const id = await bench.newSession('Shifts');
  await withPage(bench, async (page) => {
    // Only who hears all of it knows how long it thought; what came before the stream is read without times.
    await page.locator('.pill.ok').waitFor();
    await openSession(page, id);
    await send(page, 'think, then write');
    await page.locator('.live .reasoning-text').getByText('thought 119.').waitFor();
    await page.evaluate(shiftObserver);
    const question = page.locator('.message.user').first();
    const before = await question.boundingBox();
    bench.model.release('begun');
    await page.locator('.live', { hasText: 'that is it.' }).waitFor();
    assert.match(await page.locator('.live .reasoning summary').innerText(), /^Thought/);
    const frame = await page.locator('.live .code-block').boundingBox();
    bench.model.release('written');
    await page.locator('.assistant:not(.live)', { hasText: 'The end.' }).waitFor();
    assert.equal(await page.locator('.assistant:not(.live) .code-block').boundingBox(), frame);
    assert.equal(await question.boundingBox(), before);
    const shifted = Number(await page.evaluate('window.shifted'));
    console.log(`\nFIGURE layout shift while a reply thinks, writes and ends: ${shifted}`);
    assert.is(shifted, 0);
    assert.match(await page.locator('.assistant .reasoning summary').innerText(), /^Thought [\d.]+ (ms|s)/);
  });
});

test('an image that a tool gives is said on its card and shown in it, and opens large', async () => {
  bench.model.reply(
    [{ toolCall: { name: 'read_file', arguments: { path: 'picture.png' } } }],
    [{ text: 'That is a picture.' }],
  );
  await withPage(bench, async (page) => {
    writeFileSync(join(bench.service.workspace, 'picture.png'), await page.screenshot());
    await send(page, 'look at the picture');
    await page.locator('.assistant', { hasText: 'That is a picture.' }).waitFor();
    for (const again of [false, true]) {
      if (again) await page.reload();
      const card = page.locator('.tool', { hasText: 'picture.png' });
      await card.getByText('1 image inside').waitFor();
      await card.locator('.tool-head').click();
      await card.locator('.thumbnail img').waitFor();
      await holds(page, `document.querySelector('.tool .thumbnail img').naturalWidth === 1200`);
      await card.locator('.thumbnail').click();
      await page.locator('dialog .lightbox').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
    }
  });
});

if (hasBrowser()) test.run();
else suite('The console: painting, skipped').run();
