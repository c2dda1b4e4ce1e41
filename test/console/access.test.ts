import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleBench, hasBrowser, send, startBench, withPage } from './console-bench.ts';

const test = suite('The console: access');
const token = 'operator-token-for-the-console-tests';
const refused = /401 \(Unauthorized\)/;
let bench: ConsoleBench;

test.before(async () => {
  bench = await startBench({ env: { SERVICE_TOKEN: token } });
});
test.after(() => bench.close());

test('without a token the login appears; a right one leads on without a reload, and is in no address or log', async () => {
  await withPage(
    bench,
    async (page) => {
      const addresses: string[] = [];
      page.on('request', (request) => addresses.push(`${request.url()} ${request.headers().referer ?? ''}`));
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.evaluate('window.stayed = true');
      await page.getByLabel('Token').fill('wrong');
      await page.keyboard.press('Enter');
      await page.getByText('This token is not accepted.').waitFor();
      await page.getByLabel('Token').fill(token);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
      await page.locator('.pill.ok').waitFor();
      await send(page, 'hello');
      await page.locator('.assistant:not(.live)').waitFor();
      assert.is(await page.evaluate('window.stayed'), true);
      assert.equal(
        addresses.filter((address) => address.includes(token)),
        [],
      );
      assert.not.match(bench.service.output(), token);
    },
    { allowed: refused },
  );
});

test('#token= logs in and is gone from the address and the history; other parameters change nothing', async () => {
  await withPage(
    bench,
    async (page) => {
      await page.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
      assert.not.match(page.url(), token);
      assert.match(page.url(), /gatewayUrl=/);
      await page.locator('.pill.ok').waitFor();
      assert.is(await page.evaluate('history.length'), 2);
      await page.reload();
      await page.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
    },
    { hash: `?gatewayUrl=http://evil.example&token=x#token=${token}` },
  );
});

test('a token that stops working leads to the login; the draft is still there afterwards', async () => {
  await withPage(
    bench,
    async (page) => {
      const draft = 'something long that must not get lost';
      await page.locator('.composer textarea').fill(draft);
      await page.route('**/api/sessions', (route) =>
        route.fulfill({ status: 401, json: { error: { code: 'unauthorized', message: 'no' } } }),
      );
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.unroute('**/api/sessions');
      await page.getByLabel('Token').fill(token);
      await page.keyboard.press('Enter');
      await page.locator('.composer textarea').waitFor();
      assert.is(await page.locator('.composer textarea').inputValue(), draft);
    },
    { hash: `#token=${token}`, allowed: refused },
  );
});

test('a server that does not answer is named as such', async () => {
  await withPage(
    bench,
    async (page) => {
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.route('**/api/**', (route) => route.abort());
      await page.getByLabel('Token').fill(token);
      await page.keyboard.press('Enter');
      await page.getByText('not reachable').waitFor();
    },
    { allowed: /401|ERR_FAILED/ },
  );
});

if (hasBrowser()) test.run();
else suite('The console: access, skipped').run();
