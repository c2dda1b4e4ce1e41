import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { hasBrowser } from '../console/console-bench.ts';
import { extension, rootOf, withOnly } from './bundle-folder.ts';
import { bundleSuite, contextIn, dump, dumps } from './scenery.ts';

const test = bundleSuite(
  'Plugin browser bundles: `composer.submit` and `file.viewer` (contract for plugin authors)',
  (bundles) => {
    bundles.add('dumps', dumps);
    bundles.add('may-send', extension(dump, { slot: 'composer.actions' }), {
      web: { capabilities: ['composer.submit', 'moon.landing'] },
    });
    bundles.add(
      'sends-itself',
      extension(
        `element.textContent = 'waits'; for (const text of ['  ', 'unasked words', 'more words']) context.composer.submit(text);`,
        { slot: 'composer.actions' },
      ),
      { web: { capabilities: ['composer.submit'] } },
    );
    bundles.add(
      'sends-on-click',
      extension(
        `const button = document.createElement('button'); button.textContent = 'go'; element.append(button);
    button.onclick = () => { for (const text of ['\\n', 'asked ' + 'x'.repeat(100_000), 'again']) context.composer.submit(text); };`,
        { slot: 'composer.actions' },
      ),
      { web: { capabilities: ['composer.submit'] } },
    );
    bundles.add(
      'bad-viewer',
      extension(`throw new Error('no table');`, { slot: 'file.viewer', more: `match: { extensions: ['bad'] },` }),
    );
  },
);

test('`composer.submit`: with the capability `context.composer` is there; unknown capabilities are dropped with a warning', async (fixture) => {
  const id = await fixture.bench.newSession('Composer');
  await withOnly(fixture, { names: ['may-send'], hash: `#/s/${id}` }, async (page) => {
    const { composer, payload } = await contextIn(page, 'may-send: x');
    assert.equal(
      { composer, payload },
      { composer: { submit: 'function' }, payload: { composer: { submit: 'function' } } },
    );
  });
  assert.match(fixture.bench.service.output(), /moon\.landing/);
  assert.not.match(JSON.stringify(await fixture.bench.service.client.plugins()), /moon\.landing/);
});

test('`submit` on a click sends at once, ignores blank text, caps at 100,000 characters, once in two seconds', async (fixture) => {
  const id = await fixture.bench.newSession('Clicks');
  await withOnly(fixture, { names: ['sends-on-click'], hash: `#/s/${id}` }, async (page) => {
    await rootOf(page, 'sends-on-click').getByRole('button').click({ timeout: 40_000 });
    await page.locator('.toast', { hasText: 'sends-on-click sent a message' }).waitFor({ timeout: 40_000 });
    const { messages } = await fixture.bench.service.client.listMessages(id);
    const said = messages
      .filter(({ role }) => role === 'user')
      .map(({ content }) => [content.slice(0, 7), content.length]);
    assert.equal(said, [['asked x', 100_000]]);
  });
});

test('`submit` without a click asks the person first', async (fixture) => {
  const id = await fixture.bench.newSession('Unasked');
  const said = async () => (await fixture.bench.service.client.listMessages(id)).messages.map(({ content }) => content);
  await withOnly(fixture, { names: ['sends-itself'], hash: `#/s/${id}` }, async (page) => {
    const toast = page.locator('.toast', { hasText: 'sends-itself wants to send: unasked words' });
    await toast.waitFor({ timeout: 40_000 });
    assert.is(await page.locator('.toast', { hasText: 'more words' }).count(), 0);
    assert.equal(await said(), []);
    await toast.getByRole('button', { name: 'Send' }).click();
    await page.locator('.message.user .said', { hasText: 'unasked words' }).waitFor({ timeout: 40_000 });
  });
});

test('`file.viewer` replaces the preview; a Source tab stays; a viewer that fails gives way to the source', async (fixture) => {
  const { bench } = fixture;
  const id = await bench.newSession('Viewers');
  writeFileSync(join(bench.service.workspace, 'b.dump'), 'the text of b');
  writeFileSync(join(bench.service.workspace, 'c.bad'), 'the text of c');
  await withOnly(fixture, { names: ['dumps', 'bad-viewer'], hash: `#/s/${id}/files/b.dump` }, async (page) => {
    await contextIn(page, 'dumps: file.viewer');
    assert.is(await page.locator('.file-body', { hasText: 'the text of b' }).locator('.source').count(), 0);
    await page.getByRole('button', { name: 'Source' }).click();
    await page.locator('.file-body', { hasText: 'the text of b' }).waitFor();
    assert.is(await page.locator('iframe[title="dumps: file.viewer"]').count(), 0);
    await page.evaluate(`location.hash = '#/s/${id}/files/c.bad'`);
    await page.getByText("The plugin's viewer failed; this is the source.").waitFor({ timeout: 40_000 });
    await page.locator('.file-body', { hasText: 'the text of c' }).waitFor();
  });
});

if (hasBrowser()) test.run();
