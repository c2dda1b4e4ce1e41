import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { eventually } from '../helpers/within.ts';
import { attackSuite, beside, runAttacks, runIn, withControl } from './attack-rig.ts';
import { extension, rootOf, stillRuns } from './bundle-folder.ts';

/** A page that does as its first frame says. */
const naivePage = `
  const frame = document.querySelector('iframe');
  addEventListener('message', ({ data, source }) => {
    if (source === frame.contentWindow && data.height) frame.style.height = data.height + 'px';
  });`;

const test = attackSuite('A bundle stays in its box', (bundles) => {
  bundles.add('speaks-to-siblings', spoofing);
  bundles.add('covers', covering);
  bundles.add('grows', growing);
  bundles.add('loops-its-height', looping);
});

const spoofs = `
  setInterval(() => {
    for (let at = 0; at < parent.length; at++) {
      if (parent[at] === self) continue;
      const { port1, port2 } = new MessageChannel();
      const theme = { vars: { '--fg': 'rgb(1, 2, 3)' }, scheme: 'dark', lang: 'xx', dir: 'rtl' };
      const init = { t: 'init', mode: 'mount', entry: location.href, css: [], extensionId: 'x', context: {}, composer: true, theme };
      for (const message of [init, { t: 'theme', theme }, { t: 'dispose' }]) parent[at].postMessage(message, '*', message === init ? [port2] : []);
      port1.onmessage = ({ data }) => { (globalThis.element ?? document.body).textContent = 'it obeys: ' + JSON.stringify(data); };
    }
  }, 20);`;
const spoofing = extension(`globalThis.element = element; element.textContent = 'spoofs'; ${spoofs}`);
/** A frame that takes the first word for the console's, whoever says it. */
const naiveSibling = `addEventListener('message', ({ data, ports }) => {
  if (data.t === 'init') ports[0].postMessage(data.theme.lang);
});`;

test('messages to siblings: only the first word of the console itself counts', async (rig) => {
  await beside(rig, ['speaks-to-siblings'], async (page) => {
    await rootOf(page, 'speaks-to-siblings').filter({ hasText: 'spoofs' }).waitFor();
    await stillRuns(page, 'neighbour');
    await page.reload();
    await rootOf(page, 'speaks-to-siblings').filter({ hasText: 'spoofs' }).waitFor();
    await stillRuns(page, 'neighbour');
    const html = page.frameLocator('iframe[title="neighbour: x"]').locator('html');
    assert.is(await html.getAttribute('lang'), 'en', 'its theme is the one of the console');
    assert.is(await rootOf(page, 'speaks-to-siblings').innerText(), 'spoofs');
  });
  await withControl(rig, async (page) => {
    const [, , sibling] = page.frames();
    await sibling?.evaluate(naiveSibling);
    await runIn(page, rig, { code: spoofs });
    await page.frameLocator('iframe').first().locator('body', { hasText: 'it obeys: "xx"' }).waitFor();
  });
});

const cover = `
  element.innerHTML = '<div style="position:fixed;inset:-500px;width:9000px;height:9000px;z-index:2147483647;background:red">Approve</div><p style="height:60px">x</p>';
  document.documentElement.style.cssText = 'position:fixed;inset:0;transform:scale(50);overflow:visible';`;
const covering = extension(cover);
/** Points of the page outside of the box where something of the bundle would get the click. */
const hits = (box: string, own: string) => `(() => {
  const box = document.querySelector('${box}').getBoundingClientRect();
  const inside = (x, y) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  const hits = [];
  for (let x = 2; x < innerWidth; x += 12) for (let y = 2; y < innerHeight; y += 12)
    if (!inside(x, y) && document.elementFromPoint(x, y)?.matches('${own}')) hits.push([x, y]);
  return hits.length;
})()`;

test('look-alikes and overlays: a frame stays in a box that bears the name of its plugin', async (rig) => {
  await beside(rig, ['covers'], async (page) => {
    const frame = page.locator('iframe[title="covers: x"]');
    const box = page.locator('.plugin-box', { has: frame });
    await rootOf(page, 'covers').filter({ hasText: 'Approve' }).waitFor();
    await box.locator('.plugin-name', { hasText: 'covers' }).waitFor();
    const own = 'iframe[title="covers: x"]';
    assert.is(await page.evaluate(hits(`.plugin-box:has(${own})`, own)), 0);
    const label = `(() => {
      const name = document.querySelector('.plugin-box:has(iframe[title="covers: x"]) .plugin-name').getBoundingClientRect();
      return document.elementFromPoint(name.left + 4, name.top + name.height / 2).className;
    })()`;
    assert.is(await page.evaluate(label), 'plugin-name');
  });
  await withControl(rig, async (page) => {
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<section>a box</section>')`);
    await runIn(page, rig, { code: `const element = document.querySelector('section'); ${cover}`, whole: true });
    assert.ok(Number(await page.evaluate(hits('section p', 'section div'))) > 100, 'in the page itself it covers all');
  });
});

const grow = `element.innerHTML = '<div style="height:90000px">tall</div>';`;
const loop = `element.innerHTML = '<div></div>'; let high = 10; setInterval(() => { high += 10; element.firstChild.style.height = high + 'px'; }, 10);`;
const growing = extension(grow);
const looping = extension(loop);
/** What the bootstrap says of heights, and a page that does as it says. */
const naiveHeight = `const element = document.body; new ResizeObserver(() => parent.postMessage({ height: element.scrollHeight }, '*')).observe(element);`;
const heightOf = async (page: Page, frame: string) => (await page.locator(frame).first().boundingBox())?.height ?? 0;

test('a giant height: clamped to 4,000 px', async (rig) => {
  await beside(rig, ['grows'], (page) =>
    eventually(20_000, async () => (await heightOf(page, 'iframe[title="grows: x"]')) === 4_000, 'the height'),
  );
  await withControl(rig, async (page) => {
    await page.evaluate(naivePage);
    await runIn(page, rig, { code: `${naiveHeight} ${grow}` });
    await eventually(20_000, async () => (await heightOf(page, 'iframe')) >= 90_000, 'the height without a clamp');
  });
});

test('a resize loop: the height freezes after twenty changes in two seconds', async (rig) => {
  await beside(rig, ['loops-its-height'], async (page) => {
    const inside = async () =>
      Number.parseInt(
        (await rootOf(page, 'loops-its-height').locator('div').getAttribute('style'))?.replace(/\D/g, '') ?? '0',
        10,
      );
    await eventually(30_000, async () => (await inside()) > 4_500, 'the loop');
    const height = await heightOf(page, 'iframe[title="loops-its-height: x"]');
    assert.ok(height < 4_000, `it stands at ${height} px`);
    const later = await inside();
    await eventually(10_000, async () => (await inside()) > later + 500, 'more of the loop');
    assert.is(await heightOf(page, 'iframe[title="loops-its-height: x"]'), height);
    await stillRuns(page, 'neighbour');
  });
  await withControl(rig, async (page) => {
    await page.evaluate(naivePage);
    await runIn(page, rig, { code: `${naiveHeight} ${loop}` });
    await eventually(20_000, async () => (await heightOf(page, 'iframe')) > 4_500, 'a height that never freezes');
  });
});

runAttacks(test);
