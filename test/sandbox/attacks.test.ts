import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleBench, hasBrowser, startBench } from '../console/console-bench.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { attackTools, breaches, refusedAttacks, silentAttacks } from './attacks.ts';

interface Foreign {
  url: string;
  stun: string;
  /** Paths that were asked for, and `udp` for every packet. */
  heard: string[];
  close(): void;
}

interface Fixture {
  bench: ConsoleBench;
  foreign: Foreign;
}

const token = 'a-token-that-no-bundle-may-see';
const test = suite<Fixture>('A hostile bundle can do no harm');

test.before(async (fixture) => {
  const foreign = await listen();
  const directory = tempDirectory('hostile');
  const setUp = `const foreign = ${JSON.stringify(foreign.url)}; const stun = ${JSON.stringify(foreign.stun)};\n${attackTools}\n`;
  const tries = (attacks: Record<string, string>) =>
    Object.entries(attacks).map(([name, code]) => `['${name}', async () => { ${code} }]`);
  const body = `${setUp}
const results = {};
for (const [name, attack] of [${tries({ ...silentAttacks, ...refusedAttacks }).join(',\n')}]) {
  try { results[name] = 'done: ' + (await attack()); } catch (error) { results[name] = 'refused'; }
}
results.context = JSON.stringify(context);
element.textContent = JSON.stringify(results);`;
  bundle(directory, 'hostile', `async mount(element, context) { ${body} }`);
  bundle(
    directory,
    'neighbour',
    `mount(element) { setInterval(() => { element.textContent = 'alive ' + Date.now(); }, 100); }`,
  );
  for (const [name, code] of Object.entries(breaches))
    bundle(directory, name, `mount() { ${setUp} setTimeout(() => { ${code} }, 300); }`);
  const plugins = { directories: [directory], config: {} };
  fixture.foreign = foreign;
  fixture.bench = await startBench({ settings: { server: { token }, plugins } });
});
test.after(async ({ bench, foreign }) => {
  await bench.close();
  foreign.close();
});

test('the same attacks without a sandbox are heard, or this test could not fail', async ({ bench, foreign }) => {
  foreign.heard.length = 0;
  const context = await bench.browser.newContext();
  const page = await context.newPage();
  await page.goto(foreign.url);
  const { form: _, base: __, popup: ___, ...attacks } = silentAttacks;
  for (const code of Object.values(attacks)) await page.evaluate(unconfined(foreign, code)).catch(() => undefined);
  await within(
    10_000,
    until(() => foreign.heard.includes('udp')),
    'a packet',
  );
  const heard = new Set(foreign.heard);
  for (const path of ['/fetch', '/xhr', '/beacon', '/events', '/module.js', '/image.png', '/sheet.css', '/import.css'])
    assert.ok(heard.has(path), `${path} was not heard: ${[...heard]}`);
  for (const path of ['/background.png', '/font.woff2', '/script.js', '/object', '/video.mp4', '/socket'])
    assert.ok(heard.has(path), `${path} was not heard: ${[...heard]}`);
  await context.close();
});

test('nothing leaves, nothing of the console can be read, and frames that misbehave are gone', async ({
  bench,
  foreign,
}) => {
  foreign.heard.length = 0;
  const { page, close } = await bench.open(`#token=${token}`);
  try {
    await within(100_000, suffer(page, foreign), 'the attacks');
  } finally {
    await close();
  }
});

async function suffer(page: Page, foreign: Foreign): Promise<void> {
  const root = page.frameLocator('iframe[title="hostile: x"]').locator('#root');
  await root
    .filter({ hasText: 'context' })
    .waitFor({ timeout: 20_000 })
    .catch(async (error: Error) => {
      await page.evaluate(`location.hash = '#/settings/plugins'`);
      error.message += await page.locator('[data-plugin="hostile"]').innerText();
      throw error;
    });
  const results: Record<string, string> = JSON.parse(await root.innerText());
  const succeeded = Object.keys(refusedAttacks).filter((name) => results[name] !== 'refused');
  assert.equal(succeeded, []);
  assert.not.match(JSON.stringify(results), new RegExp(token));

  await page.evaluate(`location.hash = '#/settings/plugins'`);
  for (const name of Object.keys(breaches)) {
    await page.locator(`[data-plugin="${name}"] [data-bundle-state="quarantined"]`).waitFor({ timeout: 30_000 });
    assert.is(await page.locator(`iframe[title="${name}: x"]`).count(), 0, name);
  }
  const neighbour = page.frameLocator('iframe[title="neighbour: x"]').locator('#root');
  const before = await neighbour.innerText();
  await neighbour.filter({ hasNotText: before }).waitFor({ timeout: 10_000 });
  assert.match(page.url(), /#\/settings\/plugins$/);
  assert.equal(foreign.heard, []);
}

function bundle(directory: string, name: string, mount: string): void {
  const folder = join(directory, name);
  mkdirSync(join(folder, 'web'), { recursive: true });
  writeFileSync(join(folder, 'service.plugin.json'), JSON.stringify({ name, main: 'index.mjs', web: 'main.js' }));
  writeFileSync(join(folder, 'index.mjs'), 'export default { apply() {} };');
  const main = `export default (api) => api.register({ id: 'x', slot: 'sidebar.footer', ${mount} });`;
  writeFileSync(join(folder, 'web/main.js'), main);
}

function unconfined({ url, stun }: Foreign, code: string): string {
  return `(async () => { const foreign = ${JSON.stringify(url)}, stun = ${JSON.stringify(stun)}; ${attackTools}\n${code} })()`;
}

/** Another host, as the browser sees it: a server that answers everything and a socket that answers nothing. */
async function listen(): Promise<Foreign> {
  const heard: string[] = [];
  const server = createServer(({ url }, response) => {
    if (url && url !== '/' && url !== '/favicon.ico') heard.push(url);
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader(
      'content-type',
      url?.endsWith('.js') ? 'text/javascript' : url?.endsWith('.css') ? 'text/css' : 'text/html',
    );
    response.end();
  });
  server.on('upgrade', ({ url }, socket) => {
    heard.push(url ?? '');
    socket.destroy();
  });
  const udp = createSocket('udp4', () => heard.push('udp'));
  udp.on('message', () => heard.push('udp'));
  udp.bind(0, '127.0.0.1');
  server.listen(0, '127.0.0.1');
  await Promise.all([once(server, 'listening'), once(udp, 'listening')]);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    stun: `stun:127.0.0.1:${udp.address().port}`,
    heard,
    close() {
      server.closeAllConnections();
      server.close();
      udp.close();
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 50));
}

if (hasBrowser()) test.run();
