import * as assert from 'uvu/assert';
import { hasBrowser } from '../console/console-bench.ts';
import { startProxy } from '../console/proxy.ts';
import { eventually } from '../helpers/within.ts';
import { extension, neighbour, rootOf, stateOf, stillRuns, withOnly } from './bundle-folder.ts';
import { bundleSuite } from './scenery.ts';

const square = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
/** Loads all that a frame may load, from everywhere it may come from, and says what was refused. */
const loading = extension(`
  const refused = [];
  addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => refused.push(effectiveDirective + ' ' + blockedURI));
  const own = context.endpoint + '/plugins/loads/';
  const svg = ${JSON.stringify(square)};
  const images = ['data:image/svg+xml,' + encodeURIComponent(svg), URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' })), own + 'square.svg'];
  const widths = await Promise.all(images.map(async (src) => { const image = Object.assign(new Image(), { src }); await image.decode(); return image.naturalWidth; }));
  const sheet = (href) => new Promise((ok, no) => document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href, onload: ok, onerror: no })));
  await sheet(own + 'own.css');
  await sheet('data:text/css,' + encodeURIComponent(':root{--from-data:1}'));
  document.head.append(Object.assign(document.createElement('style'), { textContent: ':root{--inline:1}' }));
  // They are no fonts: what counts is that they are fetched.
  for (const url of ['data:font/woff2;base64,AAAA', own + 'font.woff2']) await new FontFace('x', 'url(' + url + ')').load().catch(() => 0);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const style = getComputedStyle(document.documentElement);
  const styles = ['--manifest', '--own', '--from-data', '--inline'].map((name) => style.getPropertyValue(name));
  element.textContent = JSON.stringify({ widths, styles, refused });`);

const test = bundleSuite(
  'Plugin browser bundles: the frame and its failures (contract for plugin authors)',
  (bundles) => {
    bundles.add('neighbour', neighbour);
    bundles.add('themed', extension(`element.innerHTML = '<p style="height:123px;margin:0">x</p>';`));
    bundles.add(
      'throws-often',
      extension(
        `element.textContent = 'alive'; let n = 0; setInterval(() => { n++; if (n < 20) throw new Error('it broke ' + (n % 3)); element.textContent = 'threw'; }, 50);`,
      ),
    );
    bundles.add('everywhere', extension(`element.textContent = 'alive';`, { slot: 'message.after' }));
    bundles.add('loads', loading, {
      web: { css: ['manifest.css'] },
      files: {
        'square.svg': square,
        'own.css': ':root{--own:1}',
        'manifest.css': ':root{--manifest:1}',
        'font.woff2': '',
      },
    });
  },
);

test('images from `data:`, `blob:` and the API origin; styles and fonts from `data:` and the API origin', (fixture) =>
  withOnly(fixture, { names: ['loads'] }, async (page) => {
    const root = rootOf(page, 'loads').filter({ hasText: '{' });
    await root.waitFor({ timeout: 40_000 });
    assert.equal(JSON.parse(await root.innerText()), {
      widths: [9, 9, 9],
      styles: ['1', '1', '1', '1'],
      refused: [],
    });
  }));

test('the frame: `sandbox=allow-scripts`, as high as its content, with the custom properties of the console, also after they change', (fixture) =>
  withOnly(fixture, { names: ['themed'] }, async (page) => {
    const frame = page.locator('iframe[title="themed: x"]');
    await rootOf(page, 'themed').locator('p').waitFor({ timeout: 40_000 });
    assert.is(await frame.getAttribute('sandbox'), 'allow-scripts');
    assert.is(await frame.getAttribute('allow'), '');
    assert.is(await frame.getAttribute('referrerpolicy'), 'no-referrer');
    await eventually(10_000, async () => (await frame.boundingBox())?.height === 123, 'the height of the content');
    const look = `(() => { const style = getComputedStyle(document.documentElement); return [style.getPropertyValue('--accent').trim(), style.getPropertyValue('--bg').trim(), style.colorScheme].join(); })()`;
    const inside = () => page.frameLocator('iframe[title="themed: x"]').locator('html').evaluate(look);
    const before = await page.evaluate(look);
    assert.is(await inside(), before);
    await page.evaluate(`document.documentElement.dataset.theme = 'dark'`);
    assert.is.not(await page.evaluate(look), before);
    await eventually(
      10_000,
      async () => (await inside()) === (await page.evaluate(look)),
      'the dark theme in the frame',
    );
  }));

test('failures are reported once and do not affect others', (fixture) =>
  withOnly(fixture, { names: ['throws-often', 'neighbour'] }, async (page) => {
    await page.evaluate(
      `window.toasts = new Set(); new MutationObserver(() => { for (const one of document.querySelectorAll('.toast')) toasts.add(one); }).observe(document.body, { childList: true, subtree: true });`,
    );
    await rootOf(page, 'throws-often').filter({ hasText: 'threw' }).waitFor({ timeout: 40_000 });
    assert.ok(
      Number(await page.evaluate(`Math.max(toasts.size, document.querySelectorAll('.toast').length)`)) <= 1,
      'one toast for one kind',
    );
    await eventually(
      10_000,
      async () => (await page.locator('[data-plugin="throws-often"] .problem').count()) === 3,
      'each cause on the page of plugins',
    );
    await stillRuns(page, 'neighbour');
    await stateOf(page, 'throws-often', 'ready').waitFor();
  }));

test('at most twelve frames of `message.after` live; the others keep their place', async (fixture) => {
  const { bench } = fixture;
  const id = await bench.newSession('Many');
  for (let at = 0; at < 9; at++) await bench.service.client.sendAndWait(id, `message ${at}`);
  await withOnly(fixture, { names: ['everywhere'], hash: `#/s/${id}` }, async (page) => {
    await page.setViewportSize({ width: 1200, height: 3_000 });
    await eventually(
      40_000,
      async () => (await page.locator('[data-slot="message.after"]').count()) === 18,
      'eighteen places',
    );
    const frames = page.locator('[data-slot="message.after"] iframe');
    await eventually(40_000, async () => (await frames.count()) === 12, 'twelve frames');
    await page
      .frameLocator('[data-slot="message.after"] iframe >> nth=0')
      .locator('#root', { hasText: 'alive' })
      .waitFor({ timeout: 40_000 });
    assert.is(await frames.count(), 12);
  });
});

test('behind a proxy that does not name the path it takes away: why nothing of it is shown, and what to do', async ({
  bench,
}) => {
  const proxy = await startProxy(bench.service.url, '/agents', { named: false });
  const { page, close } = await bench.open('#/settings/plugins', { at: proxy.url });
  try {
    await stateOf(page, 'neighbour', 'failed').waitFor({ timeout: 40_000 });
    assert.match(await page.locator('[data-plugin="neighbour"] .problem').innerText(), /X-Forwarded-Prefix/);
  } finally {
    await close();
    await proxy.close();
  }
});

if (hasBrowser()) test.run();
