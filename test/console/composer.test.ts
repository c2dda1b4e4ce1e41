import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleBench, hasBrowser, holds, openSession, send, startBench, withPage } from './console-bench.ts';
import { intercept } from './intercept.ts';
import { pasteNoise } from './paste-noise.ts';

const test = suite('The console: writing');
let bench: ConsoleBench;

test.before(async () => {
  bench = await startBench();
});
test.after(() => bench.close());

test('Enter during a composition never sends; Shift+Enter makes a line; Enter sends', async () => {
  await withPage(bench, async (page, context) => {
    const area = page.locator('.composer textarea');
    await area.focus();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 });
    await page.evaluate(`document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true, isComposing: true }))`);
    await devtools.send('Input.insertText', { text: 'にほん' });
    await page.evaluate(`(() => {
      const area = document.activeElement;
      area.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));
      area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 13, bubbles: true, cancelable: true }));
    })()`);
    assert.is(await page.locator('.message').count(), 0);
    assert.is(await area.inputValue(), 'にほん');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('second line');
    assert.is(await area.inputValue(), 'にほん\nsecond line');
    await page.keyboard.press('Enter');
    await page.locator('.message.user .said', { hasText: 'second line' }).waitFor();
  });
});

test('drafts belong to their session and survive a reload', async () => {
  const [one, two] = [await bench.newSession('One'), await bench.newSession('Two')];
  await withPage(bench, async (page) => {
    const area = page.locator('.composer textarea');
    await openSession(page, one);
    await area.fill('for one');
    await openSession(page, two);
    await page.locator('h1', { hasText: 'Two' }).waitFor();
    assert.is(await area.inputValue(), '');
    await page.reload();
    await openSession(page, one);
    await page.locator('h1', { hasText: 'One' }).waitFor();
    assert.is(await area.inputValue(), 'for one');
  });
});

test('a pasted PNG of 9 MB is scaled down and sent; the transcript shows it after a reload too', async () => {
  await withPage(
    bench,
    async (page) => {
      assert.ok((await pasteNoise(page, { width: 1_800, height: 1_750 })) > 9_000_000);
      await page.locator('.attachment img').waitFor({ timeout: 20_000 });
      await send(page, 'look');
      await page.locator('.message.user .thumbnail img').waitFor();
      await page.locator('.assistant:not(.live)').waitFor();
      await page.reload();
      const image = page.locator('.message.user .thumbnail img');
      await image.waitFor();
      await holds(page, `document.querySelector('.thumbnail img').naturalWidth > 100`);
      await page.locator('.thumbnail').click();
      await page.locator('dialog .lightbox').waitFor();
      await page.keyboard.press('Escape');
    },
    { ms: 60_000 },
  );
});

test('where the browser writes no WebP, an image that is scaled down is called what it is', async () => {
  await withPage(bench, async (page) => {
    // As Safari: it writes PNG when it is asked for what it does not know.
    await page.evaluate(`{
      const { convertToBlob } = OffscreenCanvas.prototype;
      OffscreenCanvas.prototype.convertToBlob = function (options) {
        return convertToBlob.call(this, options.type === 'image/webp' ? {} : options);
      };
    }`);
    await pasteNoise(page, { width: 1_800, height: 1_750 });
    await page.locator('.attachment img').waitFor({ timeout: 20_000 });
    await send(page, 'look');
    await page.locator('.assistant:not(.live)').waitFor();
    const asked = JSON.stringify(bench.model.requests.at(-1)?.body);
    const [, type, start] = /data:(image\/\w+);base64,(.{12})/.exec(asked) ?? [];
    assert.equal([type, start], ['image/png', 'iVBORw0KGgoA']);
  });
});

test('editing a message with an image brings the image back too', async () => {
  await withPage(bench, async (page) => {
    await pasteNoise(page, { width: 40, height: 30 });
    await page.locator('.attachment img').waitFor();
    await send(page, 'with a picture');
    await page.locator('.assistant:not(.live)').waitFor();
    await page.reload();
    await page.locator('.message.user').hover();
    await page.getByRole('button', { name: /^Edit: rewind/ }).click();
    await page.getByRole('button', { name: 'Rewind and edit' }).click();
    await page.locator('.attachment img').waitFor();
    assert.is(await page.locator('.composer textarea').inputValue(), 'with a picture');
    await holds(page, `document.activeElement.tagName === 'TEXTAREA'`);
    await page.keyboard.press('Enter');
    await page.locator('.message.user .thumbnail img').waitFor();
    await page.locator('.assistant:not(.live)').waitFor();
  });
});

test('seven images, or too many bytes, are refused before sending, with the reason', async () => {
  await withPage(
    bench,
    async (page) => {
      await pasteNoise(page, { width: 20, height: 20, count: 7 });
      await page.getByText('At most 6 images go into one message').waitFor();
      assert.is(await page.locator('.attachment').count(), 6);
      for (let left = 6; left > 0; left--) await page.locator('.attachment button').first().click();
      await pasteNoise(page, { width: 1_100, height: 1_000, count: 3 });
      await page.getByText('too large together').waitFor({ timeout: 20_000 });
      assert.is(await page.locator('.attachment').count(), 2);
    },
    { ms: 60_000 },
  );
});

test('what the service refuses as too large comes back into the composer', async () => {
  await withPage(
    bench,
    async (page) => {
      const id = await bench.newSession('Refused');
      await openSession(page, id);
      await intercept(page, '**/messages', (route) =>
        route.request().method() === 'POST'
          ? route.fulfill({
              status: 413,
              json: { error: { code: 'payload_too_large', message: 'Too large for this server.' } },
            })
          : route.continue(),
      );
      await send(page, 'much too large');
      await page.getByText('Too large for this server.').waitFor();
      assert.is(await page.locator('.composer textarea').inputValue(), 'much too large');
      assert.is(await page.locator('.message').count(), 0);
    },
    { allowed: /413/ },
  );
});

test('what is typed while a session is being made is on in its composer', async () => {
  await withPage(bench, async (page) => {
    await page.locator('.setup').waitFor();
    await intercept(page, '**/api/sessions', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await send(page, 'begin');
    await page.keyboard.type('and then');
    assert.is(await page.locator('.setup').count(), 1, 'typed before the session was there');
    await page.locator('.message.user .said', { hasText: 'begin' }).waitFor();
    await holds(page, `document.querySelector('.composer textarea').value === 'and then'`);
    await page.evaluate(`location.hash = '#/'`);
    await page.locator('.setup').waitFor();
    assert.is(await page.locator('.composer textarea').inputValue(), '');
  });
});

test('what is written from right to left stands at the right, paragraph by paragraph, in any reply', async () => {
  const arabic = 'مرحبا `x` مرحبا.';
  bench.model.reply([{ text: `${arabic}\n\nLeft to right.\n\n- one\n- two\n\n${arabic}` }]);
  await withPage(bench, async (page) => {
    await send(page, `${arabic}\nand a line that is longer than the one before`);
    await page.locator('.assistant:not(.live) p').nth(2).waitFor();
    await page.locator('.composer textarea').fill(arabic);
    const atRight = (selector: string) =>
      page.evaluate(`[...document.querySelectorAll('${selector}')].map((one) => {
        const range = document.createRange();
        range.selectNodeContents(one.firstChild);
        const [first, ...others] = range.getClientRects();
        const line = [first, ...others.filter(({ top }) => top === first.top)];
        return one.getBoundingClientRect().right - Math.max(...line.map(({ right }) => right)) < 3;
      })`);
    assert.equal(await atRight('.assistant .markdown > p'), [true, false, true]);
    assert.equal(await atRight('.assistant li'), [false, false]);
    assert.equal(await atRight('.said'), [true]);
    assert.is(
      await page.evaluate(`getComputedStyle(document.querySelector('.composer textarea')).unicodeBidi`),
      'plaintext',
    );
  });
});

if (hasBrowser()) test.run();
else suite('The console: writing, skipped').run();
