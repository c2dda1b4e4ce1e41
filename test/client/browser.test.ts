import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { createClient } from '../../lib/client/index.ts';
import { browserOptions, hasBrowser } from '../console/console-bench.ts';
import { startService } from '../helpers/running-service.ts';
import { within } from '../helpers/within.ts';

const test = suite('The built client runs in a browser as it is');

const built = () => readFileSync('dist/lib/client/index.js', 'utf8');

test('it imports nothing, least of all from Node', () => {
  assert.equal(built().match(/^\s*import\b.*|\bimport\(.*|\brequire\b.*|node:\w+/gm), null);
});

/** What the page does; it knows the client by its address only. */
async function useFrom(page: { client: string; service: string; token: string }) {
  const module: { createClient: typeof createClient } = await import(page.client);
  const client = module.createClient({ baseUrl: page.service, token: page.token });
  const { session } = await client.createSession({ title: 'From a page' });
  const { status } = await client.sendAndWait(session.id, 'list files');
  const refused = await client.readSession('nobody').catch((error: { code: string }) => error.code);
  return { title: session.title, status, refused };
}

test('a page of another origin creates a session, sends a message and follows its run', async () => {
  if (!hasBrowser()) return;
  const service = await startService({ settings: { server: { token: 'operator-token' } } });
  const pages = createServer(({ url }, response) => {
    const isModule = url === '/client.js';
    response.setHeader('content-type', isModule ? 'text/javascript' : 'text/html');
    response.end(isModule ? built() : '<!doctype html><title>A page</title>');
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  const browser = await chromium.launch(browserOptions());
  try {
    const page = await browser.newPage();
    await page.goto(origin);
    const done = page.evaluate(useFrom, {
      client: `${origin}/client.js`,
      service: service.url,
      token: 'operator-token',
    });
    assert.equal(await within(20_000, done), {
      title: 'From a page',
      status: 'completed',
      refused: 'session_not_found',
    });
  } finally {
    await browser.close();
    pages.close();
    await service.stop();
  }
});

test.run();
