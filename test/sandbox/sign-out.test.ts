import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auth, token } from '../console/administrator.ts';
import { hasBrowser, startBench, withPage } from '../console/console-bench.ts';
import { bundleFolder, neighbour, stillRuns } from './bundle-folder.ts';

const test = suite('Plugin bundles go with who signs out');

test('no frame stands before the next one has signed in, and then they are there again, without a reload', async () => {
  const bundles = bundleFolder();
  bundles.add('neighbour', neighbour);
  const bench = await startBench({ settings: { auth, plugins: { directories: [bundles.directory], config: {} } } });
  try {
    await withPage(
      bench,
      async (page) => {
        for (const again of [false, true]) {
          if (again) {
            await page.getByLabel('Token').fill(token);
            await page.keyboard.press('Enter');
          }
          await stillRuns(page, 'neighbour');
          await page.getByRole('button', { name: 'Sign out' }).click();
          await page.getByRole('heading', { name: 'Sign in' }).waitFor();
          assert.is(await page.locator('iframe').count(), 0);
        }
      },
      { hash: `#token=${token}`, allowed: /directive 'webrtc'/ },
    );
  } finally {
    await bench.close();
  }
});

if (hasBrowser()) test.run();
else suite('Plugin bundles and signing out, skipped').run();
