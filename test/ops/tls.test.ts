import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { chromium } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../lib/client/index.ts';
import { browserOptions, hasBrowser } from '../console/console-bench.ts';
import { openEventStream } from '../helpers/event-stream.ts';
import { freePort } from '../helpers/free-port.ts';
import { type Nginx, nginxMissing, startNginx } from '../helpers/nginx.ts';
import { type RunningService, startService } from '../helpers/running-service.ts';
import { type ScriptedModel, startScriptedModel } from '../helpers/scripted-model-server.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { bundleFolder, neighbour, stillRuns } from '../sandbox/bundle-folder.ts';

const test = suite('Behind the nginx example, with TLS and HTTP/2');
const name = 'agents.example.com';
const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
const hookSecret = 'a secret that both sides know';

interface World {
  service: RunningService;
  model: ScriptedModel;
  nginx: Nginx;
  /** Ports of the example: TLS and plain, on 127.0.0.1 and on [::1]. */
  tls: number;
  plain: number;
  certificate: string;
}
let world: World;

test.before(async () => {
  const directory = tempDirectory('tls');
  const [certificate, key] = [join(directory, 'agents.pem'), join(directory, 'agents.key')];
  const request = `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=${name} -addext subjectAltName=DNS:${name}`;
  const made = spawnSync('openssl', [...request.split(' '), '-out', certificate, '-keyout', key], { encoding: 'utf8' });
  assert.is(made.status, 0, made.stderr);
  const bundles = bundleFolder();
  bundles.add('neighbour', neighbour);
  const model = await startScriptedModel({ answer: () => [{ text: 'one ' }, { hold: 'two' }, { text: 'two' }] });
  const push = {
    title: 'Push',
    prompt: '{{body}}',
    secret: hookSecret,
    public: true,
    signature: { header: 'X-Hub-Signature-256' },
  };
  const config = {
    'chat-completions': { baseUrl: model.url, apiKey: 'k', models: ['scripted'] },
    triggers: { webhooks: { push } },
  };
  const service = await startService({
    settings: { server: { allowedHosts: [name] }, plugins: { directories: [bundles.directory], config } },
  });
  const [tls, plain] = [await freePort(), await freePort()];
  const example = readFileSync('host/deploy/nginx.conf', 'utf8')
    .replace(hasIpv6 ? '' : /^ *listen \[::\].*\n/gm, '')
    .replace(/listen (\[::\]:)?443/g, (_, six) => `listen ${six ? '[::1]' : '127.0.0.1'}:${tls}`)
    .replace(/listen (\[::\]:)?80/g, (_, six) => `listen ${six ? '[::1]' : '127.0.0.1'}:${plain}`)
    .replace('/etc/ssl/agents.pem', certificate)
    .replace('/etc/ssl/agents.key', key)
    .replaceAll('/var/log/nginx/agents.log', join(directory, 'access.log'))
    .replace('http://127.0.0.1:7331', service.url);
  const nginx = await startNginx('return 404;', example);
  world = { service, model, nginx, tls, plain, certificate };
});

test.after(async () => {
  await world.nginx.close();
  await world.service.stop();
  await world.model.close();
});

/** One connection. Certificate and name are checked; what is asked goes to that name. */
async function withConnection(
  use: (fetch: typeof globalThis.fetch) => Promise<void>,
  { host = '127.0.0.1' } = {},
): Promise<void> {
  const ca = readFileSync(world.certificate);
  const session = connect(`https://${host}:${world.tls}`, { ca, servername: name });
  try {
    await within(5_000, once(session, 'connect'), 'the connection');
    await within(20_000, use(fetchOver(session)), 'what is asked over the connection');
  } finally {
    session.destroy();
  }
}

function fetchOver(session: ClientHttp2Session): typeof globalThis.fetch {
  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    const { host, pathname, search } = new URL(String(input));
    const fields = { ':method': method, ':path': `${pathname}${search}`, ':authority': host };
    const stream = session.request({ ...fields, ...Object.fromEntries(new Headers(headers)) });
    signal?.addEventListener('abort', () => stream.close(constants.NGHTTP2_CANCEL));
    stream.on('error', () => undefined);
    stream.end(body);
    const [answer] = await once(stream, 'response');
    const known = Object.entries(answer).filter(([field]) => !field.startsWith(':'));
    return new Response(Readable.toWeb(stream) as ReadableStream, {
      status: Number(answer[':status']),
      headers: known.map(([field, value]) => [field, String(value)] satisfies [string, string]),
    });
  };
}

const base = `https://${name}`;

test('ten streams over one connection bring what happens as it happens, and go on after the last event that came', () =>
  withConnection(async (fetch) => {
    const client = createClient({ baseUrl: base, fetch });
    const { session } = await client.createSession({});
    const url = `${base}/api/sessions/${session.id}/events`;
    const streams = await Promise.all(Array.from({ length: 10 }, () => openEventStream(url, { fetch })));
    world.model.hold('two');
    await client.sendMessage(session.id, { content: 'go' });
    // The model is held behind this word: it is here before there is anything more.
    for (const stream of streams)
      await stream.until((event) => event.type === 'message.delta' && event.delta === 'one ');
    const last = streams[0]?.frames.at(-1)?.id ?? '';
    for (const stream of streams) await stream.close();
    world.model.release('two');
    const again = await openEventStream(url, { fetch, headers: { 'last-event-id': last } });
    const events = await again.until('run.finished');
    assert.ok(Number(last) > 0);
    assert.is(events[0]?.seq, Number(last) + 1);
    await again.close();
  }));

test('an image of four megabytes arrives, and what is over the limit is refused', () =>
  withConnection(async (fetch) => {
    world.model.release('two');
    const client = createClient({ baseUrl: base, fetch });
    const { session } = await client.createSession({});
    const data = Buffer.alloc(4 * 1024 * 1024, 7).toString('base64');
    await client.sendAndWait(session.id, 'look', { images: [{ mimeType: 'image/png', data }] });
    const refused = await fetch(`${base}/api/sessions`, { method: 'POST', body: 'x'.repeat(11 * 1024 * 1024) });
    assert.is(refused.status, 413);
  }));

test('the signature of a webhook is that of the bytes that were sent', () =>
  withConnection(async (fetch) => {
    const body = '{ "who":  "J\\u00fcrgen",\n "what": "Grüße 👋" }';
    const call = (signed: string) => {
      const signature = `sha256=${createHmac('sha256', hookSecret).update(signed).digest('hex')}`;
      return fetch(`${base}/api/hooks/push`, { method: 'POST', body, headers: { 'x-hub-signature-256': signature } });
    };
    assert.is((await call(body)).status, 202);
    assert.is((await call(`${body} `)).status, 401);
  }));

test('pages of other sites and other names are kept out; the page of this one is not', () =>
  withConnection(async (fetch) => {
    const ask = (origin: string, site: string) =>
      fetch(`${base}/api/sessions`, { method: 'POST', headers: { origin, 'sec-fetch-site': site } });
    assert.is((await ask('https://evil.example', 'cross-site')).status, 403);
    assert.is((await ask(base, 'same-origin')).status, 201);
    assert.is((await fetch('https://rebound.example/api/sessions')).status, 403);
  }));

test('over IPv6, too', async () => {
  if (!hasIpv6) return console.log('SKIPPED there is no IPv6 here');
  const ask = async (fetch: typeof globalThis.fetch) => assert.is((await fetch(`${base}/api/health`)).status, 200);
  await withConnection(ask, { host: '[::1]' });
});

test('browsers are led to TLS, and told to stay with it; programs without it are refused', async () => {
  await withConnection(async (fetch) => {
    const { headers } = await fetch(`${base}/api/health`);
    assert.match(headers.get('strict-transport-security') ?? '', /^max-age=\d{7,}$/);
  });
  const plain = (path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${world.plain}${path}`, { redirect: 'manual', ...init });
  assert.is((await plain('/?token=x')).headers.get('location'), 'https://127.0.0.1/');
  assert.is((await plain('/api/sessions', { method: 'POST' })).status, 403);
});

test('the console and the bundles of plugins run, on a port other than 443 as well', async () => {
  if (!hasBrowser()) return;
  const own = `--host-resolver-rules=MAP ${name}:443 127.0.0.1:${world.tls}, MAP ${name}:${world.tls} 127.0.0.1:${world.tls}`;
  const browser = await chromium.launch(browserOptions([own, '--ignore-certificate-errors']));
  try {
    for (const address of [base, `${base}:${world.tls}`]) {
      const page = await browser.newPage();
      await page.goto(`${address}/#/settings/plugins`);
      await stillRuns(page, 'neighbour');
      assert.is(await page.evaluate(`performance.getEntriesByType('navigation')[0].nextHopProtocol`), 'h2');
    }
  } finally {
    await within(20_000, browser.close(), 'the end of the browser');
  }
});

const isMissing = spawnSync('openssl', ['version']).status === 0 ? nginxMissing() : 'openssl is not installed';
if (isMissing === undefined) test.run();
else console.log(`SKIPPED the tests behind TLS: ${isMissing}`);
