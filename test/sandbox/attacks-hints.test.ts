import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { browserOptions, hasBrowser } from '../console/console-bench.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually, within } from '../helpers/within.ts';
import { type Rig, runIn, startRig, token } from './attack-rig.ts';
import { extension, rootOf, stillRuns } from './bundle-folder.ts';
import type { Target } from './foreign.ts';

/** A browser that keeps a profile: one without follows no hint at all. */
interface Fixture extends Rig {
  context: BrowserContext;
  log: string;
}

const test = suite<Fixture>('A bundle can not make the browser follow hints');
/** Two are told by the log of the browser only: a name that leads nowhere, and a connection without a request. */
const hints = ({ name, url }: Target) => [
  ['dns-prefetch', `http://looked-up.${name}.test/`],
  ['preconnect', url.replace('//', '//connected.')],
  ['icon', `${url}icon`],
  ['manifest', `${url}manifest`],
];
const follow = (target: Target) => `
  for (const [rel, href] of ${JSON.stringify(hints(target))})
    document.head.append(Object.assign(document.createElement('link'), { rel, href }));
  await new Promise((resolve) => setTimeout(resolve, 2000));`;

test.before(async (fixture) => {
  const rig = await startRig((bundles, { confined }) => {
    bundles.add('hints', extension(`${follow(confined)} element.textContent = 'tried';`));
  });
  const log = join(tempDirectory('net-log'), 'net-log.json');
  const args = [`--log-net-log=${log}`, '--net-log-capture-mode=Everything'];
  const context = await chromium.launchPersistentContext(tempDirectory('profile'), browserOptions(args));
  Object.assign(fixture, rig, { context, log });
});
test.after(async (fixture) => {
  await within(20_000, fixture.context.close());
  await fixture.close();
});

test('`preconnect`, `dns-prefetch`, icons and manifests: no connection, no request, no name looked up', async (fixture) => {
  const { foreign, bench, context, log } = fixture;
  const page = await context.newPage();
  await page.goto(`${bench.service.url}/#token=${token}`);
  await rootOf(page, 'hints').filter({ hasText: 'tried' }).waitFor({ timeout: 40_000 });
  await stillRuns(page, 'neighbour');
  await askForManifest(context, page);
  assert.equal(foreign.confined.heard, []);

  const control = await context.newPage();
  await control.goto(`${foreign.control.url}page`);
  await runIn(control, fixture, { code: `await wait(500); ${follow(foreign.control)}`, whole: true });
  await askForManifest(context, control);
  for (const rel of ['icon', 'manifest'])
    await eventually(10_000, () => foreign.control.heard.includes(`/${rel}`), `${rel} without a sandbox`);
  await within(20_000, context.close(), 'the end of the browser');
  const text = readFileSync(log, 'utf8');
  for (const [rel, name] of [
    ['dns-prefetch', 'looked-up.WHO.test'],
    ['preconnect', 'connected.WHO.localhost'],
  ] as const) {
    assert.ok(text.includes(name.replace('WHO', 'control')), `${rel} without a sandbox`);
    assert.not.ok(text.includes(name.replace('WHO', 'confined')), rel);
  }
  assert.not.ok(text.includes(new URL(foreign.confined.url).host));
});

/** As the browser does when it is asked to install the page. */
async function askForManifest(context: BrowserContext, page: Page): Promise<void> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('Page.getAppManifest').catch(() => undefined);
  await devtools.detach();
}

if (hasBrowser()) test.run();
