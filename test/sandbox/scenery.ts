import type { Page } from 'playwright-core';
import { suite, type Test } from 'uvu';
import { slots } from '../../public/sandbox/protocol.ts';
import { type ConsoleBench, startBench } from '../console/console-bench.ts';
import { type BundleFolder, bundleFolder } from './bundle-folder.ts';

export interface Scenery {
  bundles: BundleFolder;
  bench: ConsoleBench;
}

/** Tests that share a service with the bundles that `prepare` adds, and a browser. */
export function bundleSuite(name: string, prepare: (bundles: BundleFolder) => void): Test<Scenery> {
  const test = suite<Scenery>(name);
  test.before(async (scenery) => {
    scenery.bundles = bundleFolder();
    prepare(scenery.bundles);
    const plugins = { directories: [scenery.bundles.directory], config: {} };
    scenery.bench = await startBench({ settings: { plugins } });
  });
  test.after(({ bench }) => bench.close());
  return test;
}

/** The body of a `mount` that shows its context. */
export const dump = `element.textContent = JSON.stringify(context, (key, value) => (typeof value === 'function' ? 'function' : value));`;

/** A bundle that shows its context in every slot; the extension is called as the slot. */
export const dumps = `export default (api) => {
  const more = { 'file.viewer': { extensions: ['dump'] } };
  for (const slot of ${JSON.stringify(slots)}) api.register({ id: slot, slot, match: more[slot], mount(element, context) { ${dump} } });
};`;

/** The context that the first frame with this title shows. */
export async function contextIn(page: Page, title: string): Promise<Record<string, unknown>> {
  const root = page.frameLocator(`iframe[title="${title}"]`).first().locator('#root').filter({ hasText: '{' });
  await root.first().waitFor({ timeout: 40_000 });
  return JSON.parse(await root.first().innerText());
}
