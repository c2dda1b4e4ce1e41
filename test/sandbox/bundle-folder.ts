import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { ConsoleBench, ConsolePage } from '../console/console-bench.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';

/** Plugins with a browser part, written for a test. */
export interface BundleFolder {
  directory: string;
  names: string[];
  /** A plugin whose `main.js` is `main`. `web` is added to its manifest, `server` is its module. */
  add(name: string, main: string, options?: { web?: object; server?: string; files?: Record<string, string> }): void;
  /** Writes `main.js` anew. */
  save(name: string, main: string): void;
}

export function bundleFolder(): BundleFolder {
  const directory = tempDirectory('bundles');
  const names: string[] = [];
  const save = (name: string, main: string) => writeFileSync(join(directory, name, 'web/main.js'), main);
  return {
    directory,
    names,
    save,
    add(name, main, { web = {}, server = 'export default { apply() {} };', files = {} } = {}) {
      names.push(name);
      mkdirSync(join(directory, name, 'web'), { recursive: true });
      const manifest = { name, version: '1.0.0', main: 'index.mjs', web: { entry: 'main.js', ...web } };
      writeFileSync(join(directory, name, 'service.plugin.json'), JSON.stringify(manifest));
      writeFileSync(join(directory, name, 'index.mjs'), server);
      for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, name, 'web', file), text);
      save(name, main);
    },
  };
}

/** A module with one extension `x`; `mount` is the body of a function with `element` and `context` in scope. */
export function extension(mount: string, { slot = 'sidebar.footer', more = '' } = {}): string {
  return `export default (api) => api.register({ id: 'x', slot: '${slot}', ${more} async mount(element, context) { ${mount} } });`;
}

/** A plugin that shows that it still runs. */
export const neighbour = extension(
  `setInterval(() => { element.textContent = 'alive ' + Date.now(); }, 100); element.textContent = 'alive';`,
);

/** The element that the extension `x` of a plugin was given, in the frame that is there now. */
export function rootOf(page: Page, name: string) {
  return page.frameLocator(`iframe[title="${name}: x"]`).locator('#root');
}

/** Resolves when the plugin still does something: within `ms` once it stands. */
export async function stillRuns(page: Page, name: string, ms = 10_000): Promise<void> {
  const root = rootOf(page, name);
  await root.filter({ hasText: /alive \d/ }).waitFor({ timeout: 40_000 });
  const before = await root.innerText();
  await root.filter({ hasNotText: before }).waitFor({ timeout: ms });
}

/** The state of a plugin on the page of plugins, which must be open. */
export function stateOf(page: Page, name: string, state: string) {
  return page.locator(`[data-plugin="${name}"] [data-bundle-state="${state}"]`);
}

/** Uses a page in which only these bundles run; afterwards it is closed. */
export async function withOnly(
  { bundles, bench, lags }: { bundles: BundleFolder; bench: ConsoleBench; lags?: number[] },
  { names, hash = '#/settings/plugins', ms = 100_000 }: { names: readonly string[]; hash?: string; ms?: number },
  use: (page: Page, opened: ConsolePage) => Promise<void>,
): Promise<void> {
  const stopped = bundles.names.filter((name) => !names.includes(name));
  const { origin } = new URL(bench.service.url);
  const localStorage = [{ name: 'service.plugins.stopped', value: JSON.stringify(stopped) }];
  const storageState: BrowserContextOptions['storageState'] = { cookies: [], origins: [{ origin, localStorage }] };
  const opened = await bench.open(hash, { storageState });
  try {
    if (lags) await opened.page.evaluate(heartbeat);
    await within(ms, use(opened.page, opened), 'the test in the page');
    const late = lags && (await within(2_000, opened.page.evaluate('window.lag')).catch(() => undefined));
    if (typeof late === 'number') lags?.push(late);
  } catch (error) {
    await opened.page.evaluate(`location.hash = '#/settings/plugins'`).catch(() => undefined);
    const said = await opened.page
      .locator('[data-bundle-state]:not([data-bundle-state="stopped"])')
      .evaluateAll((all) => all.map((one) => one.parentElement?.textContent))
      .catch(() => []);
    if (error instanceof Error) error.message += `\nThe page of plugins says: ${said.join(' | ')}`;
    throw error;
  } finally {
    await opened.close();
  }
}

/** By how many ms a timer of the page is late, at most; gone with a reload. */
const heartbeat = `(() => {
  let last = performance.now();
  window.lag = 0;
  setInterval(() => {
    const now = performance.now();
    lag = Math.max(lag, Math.round(now - last - 50));
    last = now;
  }, 50);
})()`;
