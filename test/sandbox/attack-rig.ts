import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleBench, type ConsolePage, hasBrowser, startBench } from '../console/console-bench.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually, within } from '../helpers/within.ts';
import { type BundleFolder, bundleFolder, extension, neighbour, rootOf, stillRuns, withOnly } from './bundle-folder.ts';
import { type Foreign, startForeign, type Target } from './foreign.ts';

/**
 * The body of an async function with `foreign` (an address with a slash at the end), `stun` and `quic` (a host and a port),
 * `endpoint`, `wait`, `load` and `make` in scope.
 */
export interface Attack {
  code: string;
  /** What the foreign place hears when nothing stops it. Left out: nothing that could be heard. */
  heard?: string;
  /** Browsers do it for pages only: the control is the page itself, not a frame. */
  page?: true;
  /** It throws in the sandbox, and does not without. `alone`: it throws in the sandbox; without, who knows. */
  refused?: true | 'alone';
}

export type Attacks = Record<string, Attack>;

export interface Rig {
  foreign: Foreign;
  bundles: BundleFolder;
  bench: ConsoleBench;
  /** By how many ms a timer of the console was late, at most, in each page under attack. */
  lags: number[];
  /** What the browser wrote down about its network, after its end. */
  netLog(): string;
  close(): Promise<void>;
}

export const token = 'a-token-that-no-bundle-may-see';

const scope = (
  { url, stun, quic }: Target,
  endpoint: string,
) => `const foreign = ${JSON.stringify(url)}, stun = 'stun:${stun}', quic = '${quic}', endpoint = ${endpoint};
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const load = (node) => new Promise((resolve) => { node.onload = node.onerror = resolve; document.body.append(node); setTimeout(resolve, 300); });
const make = (kind, fields) => Object.assign(document.createElement(kind), fields);`;

export interface RigOptions {
  /** Of the service. Default: the token that no bundle may see. */
  server?: object;
  browserArgs?: string[];
}

/** A service with bundles, a neighbour and a browser that keeps a log. `prepare` adds bundles before it starts. */
export async function startRig(
  prepare: (bundles: BundleFolder, foreign: Foreign) => void,
  { server = { token }, browserArgs = [] }: RigOptions = {},
): Promise<Rig> {
  const foreign = await startForeign();
  const bundles = bundleFolder();
  bundles.add('neighbour', neighbour);
  prepare(bundles, foreign);
  const log = join(tempDirectory('net-log'), 'net-log.json');
  const bench = await startBench({
    settings: { server, plugins: { directories: [bundles.directory], config: {} } },
    browserArgs: [`--log-net-log=${log}`, '--net-log-capture-mode=Everything', ...browserArgs],
  });
  return {
    foreign,
    bundles,
    bench,
    lags: [],
    netLog: () => readFileSync(log, 'utf8'),
    async close() {
      await bench.close();
      foreign.close();
    },
  };
}

/** Tests that share one rig. Call {@link runAttacks} at the end of the file. */
export function attackSuite(
  name: string,
  prepare: (bundles: BundleFolder, foreign: Foreign) => void,
  options: RigOptions = {},
): Test<Rig> {
  const test = suite<Rig>(name);
  test.before(async (rig) => {
    Object.assign(rig, await startRig(prepare, options));
  });
  test.after((rig) => rig.close());
  return test;
}

/** Tests that mostly wait: all begin at once, each in a page of its own, and each says for itself how it went. */
export function sideBySide(test: Test<Rig>, cases: Record<string, (rig: Rig) => Promise<void>>): void {
  const running = new Map<string, Promise<PromiseSettledResult<void>[]>>();
  test.before((rig) => {
    for (const [name, run] of Object.entries(cases)) running.set(name, Promise.allSettled([run(rig)]));
  });
  for (const name of Object.keys(cases))
    test(name, async () => {
      for (const result of (await running.get(name)) ?? []) if (result.status === 'rejected') throw result.reason;
    });
}

/** Runs them, and looks at last into the log of the browser: whatever they did, nobody left the sandbox. `more` reads it, too. */
export function runAttacks(test: Test<Rig>, more: (log: string) => void = () => undefined): void {
  test('and the log of the browser names the foreign host for the control only', async (rig) => {
    await withControl(rig, async () => undefined);
    const { confined, all } = await netLogOf(rig);
    const worst = [...rig.lags].sort((a, b) => a - b);
    const [middle, last] = [worst[worst.length >> 1], worst.at(-1)];
    // A page in which a frame crashed can't be asked.
    if (last !== undefined)
      console.log(
        `\nFIGURE the console under attack, in ${worst.length} pages: a timer is late by at most ${middle} ms (median), ${last} ms (worst)`,
      );
    assert.equal(confined, []);
    assert.equal(rig.foreign.confined.heard, []);
    more(all);
  });
  if (hasBrowser()) test.run();
}

/** A bundle that tries everything when it is mounted and writes down how it went. */
export function hostile(target: Target, attacks: Attacks): string {
  const tries = Object.entries(attacks).map(([name, { code }]) => `[${JSON.stringify(name)}, async () => { ${code} }]`);
  return extension(`${scope(target, 'context.endpoint')}
    const results = {};
    for (const [name, attack] of [${tries.join(',\n')}])
      try { results[name] = 'done: ' + (await attack()); } catch (error) { results[name] = 'refused'; }
    element.textContent = 'tried ' + JSON.stringify(results);`);
}

/** A bundle that does one thing shortly after it was mounted. */
export function hostileLater(target: Target, code: string): string {
  return extension(`${scope(target, 'context.endpoint')}
    element.textContent = 'waits'; setTimeout(async () => { ${code} }, 200);`);
}

/** Runs what `hostile` made and checks the row: first in the sandbox, then, without one, that the same is heard and not refused. */
export async function stops(rig: Rig, name: string, attacks: Attacks): Promise<void> {
  const { foreign, bench } = rig;
  const results = await within(60_000, confined(rig, name), `the attacks of ${name}`);
  const succeeded = Object.entries(attacks).filter(([key, { refused }]) => refused && results[key] !== 'refused');
  assert.equal(
    succeeded.map(([key]) => `${key}: ${results[key]}`),
    [],
    'these succeeded in the sandbox',
  );

  const context = await bench.browser.newContext();
  const silent: string[] = [];
  try {
    for (const [key, { code, heard, refused, page: whole }] of Object.entries(attacks)) {
      foreign.control.heard.length = 0;
      const page = await within(20_000, context.newPage(), `a page for ${key}`);
      const result = await within(20_000, unconfined(page, rig, { code, whole }), `the control of ${key}`);
      if (refused === true) assert.match(result, /^done|^gone/, `${key} fails without a sandbox too`);
      if (heard) await eventually(10_000, () => foreign.control.heard.includes(heard)).catch(() => silent.push(key));
    }
  } finally {
    await closed(context);
  }
  assert.equal(silent, [], 'the control of these is silent');
  assert.equal(foreign.confined.heard, [], 'this left the sandbox');
}

/** Waits until a bundle has tried everything, and until its neighbour has shown that it lives. */
function confined(rig: Rig, name: string): Promise<Record<string, string>> {
  let results = {};
  return beside(rig, [name], async (page) => {
    const root = rootOf(page, name).filter({ hasText: 'tried' });
    await root.waitFor({ timeout: 40_000 });
    results = JSON.parse((await root.innerText()).replace('tried ', ''));
    await stillRuns(page, 'neighbour');
  }).then(() => results);
}

interface Plain {
  code: string;
  whole?: true | undefined;
}

/** Does the same in an ordinary frame of an ordinary page, or in the `whole` page. `gone`: it took the frame somewhere. */
export async function unconfined(page: Page, rig: Rig, attack: Plain): Promise<string> {
  await page.goto(`${rig.foreign.control.url}page`);
  return runIn(page, rig, attack);
}

/** Uses the page of the control, without any of our rules. */
export async function withControl({ foreign, bench }: Rig, use: (page: Page) => Promise<void>): Promise<void> {
  const context = await bench.browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(`${foreign.control.url}page`);
    await within(60_000, use(page), 'the control');
  } finally {
    await closed(context);
  }
}

/** The same in a page that is there already. */
export async function runIn(page: Page, { foreign, bench }: Rig, { code, whole }: Plain): Promise<string> {
  const { url } = foreign.control;
  const frame = whole ? page.mainFrame() : (page.frames().find((one) => one.url() === `${url}frame`) as Frame);
  const body = `(async () => { ${scope(foreign.control, JSON.stringify(new URL(bench.service.url).origin))}
    try { return 'done: ' + (await (async () => { ${code} })()); } catch (error) { return 'refused: ' + error; } })()`;
  return String(await frame.evaluate(body).catch(() => 'gone'));
}

/** Closes a context whose pages may be on their way to anywhere, which keeps some of them from closing. */
export async function closed(context: BrowserContext): Promise<void> {
  await within(10_000, context.close()).catch(() => undefined);
}

/** Opens the console with one hostile bundle and its neighbour, signed in. */
export function beside(
  rig: Rig,
  names: readonly string[],
  use: (page: Page, opened: ConsolePage) => Promise<void>,
): Promise<void> {
  return withOnly(rig, { names: [...names, 'neighbour'], hash: `#token=${token}` }, use);
}

/** Ends the browser and looks into its log: lines that name the foreign host. The control must be in it, or it says nothing. */
async function netLogOf(rig: Rig): Promise<{ confined: string[]; all: string }> {
  await within(20_000, rig.bench.browser.close(), 'the end of the browser');
  const all = rig.netLog();
  // A redirect that was answered is no request; one that is followed has lines of its own.
  const lines = all.split('\n').filter((line) => !line.includes('HTTP/1.1 302'));
  const naming = ({ url }: Target) => lines.filter((line) => line.includes(new URL(url).host));
  assert.ok(naming(rig.foreign.control).length > 0, 'the log has the control');
  return { confined: naming(rig.foreign.confined), all };
}
