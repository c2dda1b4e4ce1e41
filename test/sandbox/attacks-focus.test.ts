import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { holds, openSession } from '../console/console-bench.ts';
import { eventually } from '../helpers/within.ts';
import { attackSuite, beside, closed, runAttacks } from './attack-rig.ts';
import { extension, rootOf, stateOf, stillRuns } from './bundle-folder.ts';
import { spying, thefts } from './thefts.ts';

const test = attackSuite('A bundle can not take the keyboard', (bundles) => {
  for (const [name, code] of Object.entries(thefts)) {
    const where = `context.endpoint + '/plugins/${name}/'`;
    bundles.add(name, extension(`${spying(where)} ${code}`));
  }
  const steal = `setInterval(() => { window.focus(); input.focus(); }, 15);`;
  const waits = `document.addEventListener('click', () => setTimeout(() => { ${steal} }, 1000));`;
  bundles.add('waits-for-a-click', extension(`${spying(`context.endpoint + '/plugins/waits-for-a-click/'`)} ${waits}`));
  bundles.add(
    'nests',
    extension(
      `element.textContent = 'nests'; setInterval(() => { if (!frames[0]) document.body.append(document.createElement('iframe')); frames[0]?.focus(); }, 15);`,
    ),
  );
  bundles.add('while-discovered', `setInterval(() => window.focus(), 5); await new Promise(() => {});`);
  bundles.add(
    'asks',
    extension(
      `element.innerHTML = '<input><button>b</button>'; element.firstChild.oninput = ({ target }) => { target.nextSibling.textContent = target.value; };`,
    ),
  );
});

for (const name of [...Object.keys(thefts), 'nests'])
  test(`${name}: nothing that is typed reaches it, it is stopped, and the keyboard is back where it was`, async (rig) => {
    const session = await rig.bench.newSession(name);
    await beside(rig, [name], async (page) => {
      const typed = listen(page);
      await openSession(page, session);
      const composer = page.locator('.composer textarea');
      await composer.click();
      await write(page, 'kept');
      const pressed = await typeUntilGone(page, name);
      assert.equal(typed, [], `of ${pressed} letters`);
      const { activeElement, text, caret } = await whereTyped(page);
      assert.is(activeElement, 'TEXTAREA');
      assert.ok(text.startsWith('kept'), text);
      assert.is(caret, text.length);
      await page.keyboard.type(', and more');
      assert.is(await composer.inputValue(), `${text}, and more`);
      console.log(`\nFIGURE ${name}: 0 of ${pressed} letters read; ${pressed + 4 - text.length} lost on the way`);
      await page.evaluate(`location.hash = '#/settings/plugins'`);
      await stateOf(page, name, 'quarantined').waitFor({ timeout: 40_000 });
      assert.match(await page.locator(`[data-plugin="${name}"] .problem`).innerText(), /keyboard three times/);
      await stillRuns(page, 'neighbour');
      assert.equal(typed, []);
    });
  });

test('the keyboard goes back to where the page itself has put it, too', (rig) =>
  beside(rig, ['focuses-an-input'], async (page) => {
    await page.locator('iframe[title="focuses-an-input: x"]').waitFor({ state: 'attached', timeout: 40_000 });
    await eventually(20_000, async () => (await page.locator('iframe[title="focuses-an-input: x"]').count()) === 0);
    await holds(page, `document.activeElement.tagName === 'TEXTAREA'`);
  }));

test('even while nobody takes the keyboard back', (rig) =>
  beside(rig, ['focuses-an-input'], async (page) => {
    // The console never hears that it lost it.
    await page.addInitScript(
      `if (self === top) addEventListener('blur', (event) => event.stopImmediatePropagation(), true);`,
    );
    await page.reload();
    await stillRuns(page, 'neighbour');
    await openSession(page, await rig.bench.newSession('Nobody'));
    const typed = listen(page);
    const composer = page.locator('.composer textarea');
    await write(page, 'kept');
    const holds = () => page.evaluate(`document.activeElement.title === 'focuses-an-input: x'`);
    await eventually(20_000, async () => (await holds()) === true, 'the theft');
    for (let at = 0; at < 100; at++) {
      await page.keyboard.press('x');
      await page.keyboard.insertText('é');
    }
    await stillRuns(page, 'neighbour');
    assert.equal(typed, []);
    assert.is(await composer.inputValue(), 'kept');
    assert.is(await holds(), true);
  }));

test('waits-for-a-click: what was given with a click ends when the person goes elsewhere', (rig) =>
  beside(rig, ['waits-for-a-click'], async (page) => {
    const session = await rig.bench.newSession('Elsewhere');
    await openSession(page, session);
    await rootOf(page, 'waits-for-a-click').locator('input').click();
    await page.keyboard.type('here');
    const typed = listen(page);
    await page.locator('.composer textarea').click();
    await typeUntilGone(page, 'waits-for-a-click');
    // It may repeat what it was given.
    assert.equal(
      typed.filter((url) => /=.*[xé]/.test(decodeURIComponent(url))),
      [],
    );
    assert.is((await whereTyped(page)).activeElement, 'TEXTAREA');
  }));

test('while it is discovered: it is not taken', (rig) =>
  beside(rig, ['while-discovered'], async (page) => {
    await page.evaluate(`location.hash = '#/settings/plugins'`);
    await stateOf(page, 'while-discovered', 'failed').waitFor({ timeout: 40_000 });
    assert.match(await page.locator('[data-plugin="while-discovered"] .problem').innerText(), /took the keyboard/);
  }));

for (const [name, code] of Object.entries(thefts))
  test(`${name}: without the sandbox document the same frame reads what is typed`, async ({ foreign, bench }) => {
    const context = await bench.browser.newContext();
    const page = await context.newPage();
    await page.goto(`${foreign.control.url}page`);
    const html = `<body><div></div><script>const element = document.querySelector('div'); const context = { request: async () => 0 }; ${spying(`'${foreign.control.url}${name}/'`)} ${code}</script>`;
    await page.evaluate(`document.body.innerHTML = '<textarea></textarea>'; document.querySelector('textarea').focus();
      document.body.append(Object.assign(document.createElement('iframe'), { sandbox: 'allow-scripts', srcdoc: ${JSON.stringify(html).replaceAll('</', '<\\/')} }));`);
    await eventually(
      20_000,
      async () => {
        await page.keyboard.press('x');
        return foreign.control.heard.some((path) => path.startsWith(`/${name}/typed?`));
      },
      'a letter',
    );
    await closed(context);
  });

test('a person who clicks into a frame, or tabs into it, keeps the keyboard there', async (rig) => {
  const session = await rig.bench.newSession('Forms');
  await beside(rig, ['asks'], async (page) => {
    await openSession(page, session);
    const input = rootOf(page, 'asks').locator('input');
    const echo = rootOf(page, 'asks').locator('button');
    await page.locator('.composer textarea').click();
    await page.keyboard.type('first here');
    await input.click();
    await eventually(
      10_000,
      async () => (await page.evaluate('document.activeElement.title')) === 'asks: x',
      'the focus in the frame',
    );
    await page.keyboard.type('hello');
    await echo.filter({ hasText: 'hello' }).waitFor();
    await page.locator('.composer textarea').click();
    await page.keyboard.type(', then here');
    assert.is(await page.locator('.composer textarea').inputValue(), 'first here, then here');

    await page.locator('.search input, input[type="search"]').first().focus();
    await tabInto(page, 'asks: x');
    await eventually(
      10_000,
      async () => (await input.evaluate('document.activeElement.tagName')) === 'INPUT',
      'the focus in the field',
    );
    await page.keyboard.type('!');
    await eventually(10_000, async () => /!/.test((await echo.textContent()) ?? ''), 'what was typed there');
    await page.evaluate(`location.hash = '#/settings/plugins'`);
    await stateOf(page, 'asks', 'ready').waitFor();
  });
});

runAttacks(test);

/** Writes into the composer without the keyboard, which may be elsewhere at the moment. */
async function write(page: Page, text: string): Promise<void> {
  await page.evaluate(`(() => {
    const composer = document.querySelector('.composer textarea');
    composer.focus();
    composer.value = ${JSON.stringify(text)};
    composer.dispatchEvent(new Event('input', { bubbles: true }));
  })()`);
}

/** Types letter by letter, with and without key events, until the frame is gone. */
async function typeUntilGone(page: Page, name: string): Promise<number> {
  let pressed = 0;
  await eventually(
    40_000,
    async () => {
      pressed += 2;
      await page.keyboard.press('x');
      await page.keyboard.insertText('é');
      return pressed >= 200 && (await page.locator(`iframe[title="${name}: x"]`).count()) === 0;
    },
    'the end of the thief',
  );
  return pressed;
}

/** Presses the Tab key, each time when it has led somewhere, until a frame has the keyboard. */
async function tabInto(page: Page, title: string): Promise<void> {
  await eventually(
    20_000,
    async () => {
      await page.evaluate('window.left = document.activeElement');
      await page.keyboard.press('Tab');
      await holds(page, 'document.activeElement !== left && document.activeElement !== document.body');
      return (await page.evaluate('document.activeElement.title')) === title;
    },
    'the focus in the frame by the Tab key',
  );
}

/** What has the keyboard, its text, and where the next letter would stand. */
async function whereTyped(page: Page): Promise<{ activeElement: string; text: string; caret: number }> {
  return JSON.parse(
    await page.evaluate(
      `(() => { const { activeElement } = document; return JSON.stringify({ activeElement: activeElement.tagName, text: activeElement.value, caret: activeElement.selectionStart }); })()`,
    ),
  );
}

function listen(page: Page): string[] {
  const typed: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('typed?')) typed.push(request.url());
  });
  return typed;
}
