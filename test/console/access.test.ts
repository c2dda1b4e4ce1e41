import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleBench, hasBrowser, openSession, send, startBench, withPage } from './console-bench.ts';
import { intercept } from './intercept.ts';
import { pasteNoise } from './paste-noise.ts';

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
      await intercept(page, '**/api/sessions', (route) =>
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

test('a token that is replaced while a session is open leads to the login; afterwards session and draft are there', async () => {
  const next = 'the-token-that-replaced-the-first-one';
  const id = await bench.newSession('Interrupted by a login');
  bench.model.reply([{ text: 'said before' }], [{ text: 'said after' }]);
  await withPage(
    bench,
    async (page) => {
      await openSession(page, id);
      await send(page, 'before');
      await page.locator('.assistant:not(.live)', { hasText: 'said before' }).waitFor();
      await pasteNoise(page, { width: 40, height: 30 });
      await page.locator('.attachment img').waitFor();
      await page.locator('.composer textarea').fill('half of a thought');
      await bench.service.stop();
      await bench.restart({ env: { SERVICE_TOKEN: next } });
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.getByText('This token is not accepted any more.').waitFor();
      await page.getByLabel('Token').fill(next);
      await page.keyboard.press('Enter');
      await page.locator(`.session[data-session="${id}"]`).waitFor();
      assert.is(await page.locator('.composer textarea').inputValue(), 'half of a thought');
      assert.is(await page.locator('.attachment').count(), 1);
      await page.locator('.pill.ok').waitFor();
      await page.locator('.composer textarea').focus();
      await page.keyboard.press('Enter');
      await page.locator('.assistant:not(.live)', { hasText: 'said after' }).waitFor();
      assert.is(await page.locator('.message.user').count(), 2);
      await bench.service.stop();
      await bench.restart({ env: { SERVICE_TOKEN: token } });
    },
    { hash: `#token=${token}`, allowed: /401|net::ERR/ },
  );
});

test('a server that does not answer is named as such', async () => {
  await withPage(
    bench,
    async (page) => {
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await intercept(page, '**/api/**', (route) => route.abort());
      await page.getByLabel('Token').fill(token);
      await page.keyboard.press('Enter');
      await page.getByText('not reachable').waitFor();
    },
    { allowed: /401|ERR_FAILED/ },
  );
});

if (hasBrowser()) test.run();
else suite('The console: access, skipped').run();
