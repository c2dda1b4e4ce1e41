import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { serve } from '../../host/serve.ts';
import { createRouter } from '../../lib/http/router.ts';
import { fakeApp } from '../helpers/fake-app.ts';
import { rawRequest } from '../helpers/raw-http.ts';
import { within } from '../helpers/within.ts';

import { codeOf, consoleFolder, start, type World } from './served-world.ts';

let world: World;
let root: string;

async function before() {
  root = await consoleFolder();
  world = await start(root);
}
async function after() {
  await world.listening.close(0);
  await rm(root, { recursive: true });
}
const host = 'Host: localhost\r\n';
const get = (target: string, more = '') =>
  rawRequest(world.listening.port, `GET ${target} HTTP/1.1\r\n${host}Connection: close\r\n${more}\r\n`);

const wire = suite('On the wire: what only a real socket shows');
wire.before(before);
wire.after(after);

wire('JSON goes out in one piece with its length; 204 and HEAD have no body', async () => {
  const response = await fetch(`${world.url}/api/health`);
  assert.is(response.headers.get('content-length'), '15');
  assert.is(response.headers.get('transfer-encoding'), null);
  assert.equal(await response.json(), { status: 'ok' });
  const head = await rawRequest(world.listening.port, `HEAD /api/health HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
  assert.match(head, /content-length: 15/);
  assert.ok(head.endsWith('\r\n\r\n'));
  assert.is((await fetch(`${world.url}/api/sessions/x`, { method: 'DELETE' })).status, 204);
});

wire('an expectation that nobody knows is passed over', async () => {
  assert.match(await get('/api/health', 'Expect: a-miracle\r\n'), /^HTTP\/1\.1 200 /);
});

wire('the signal of a POST does not abort while the client waits', async () => {
  const response = await fetch(`${world.url}/api/wait`, { method: 'POST', body: '{}' });
  assert.equal(await response.json(), { aborted: false });
});

wire('a client that is still sending gets its refusal: the connection stays until it has sent all', async () => {
  const head = (headers: string) => `POST /api/sessions HTTP/1.1\r\n${host}${headers}\r\n\r\n`;
  const part = 'x'.repeat(2_000);
  const client = connect(world.listening.port, '127.0.0.1');
  let answer = '';
  const ended = once(client, 'end');
  const answered = new Promise<void>((resolve) => {
    client.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
      if (answer.endsWith('}}')) resolve();
    });
  });
  client.write(`${head('Connection: close\r\nContent-Length: 6000')}${part}`);
  await within(5_000, answered);
  assert.is(codeOf(answer), '413 payload_too_large');
  assert.match(answer, /\r\nconnection: close\r\n/i);
  // A server that had ended would answer the second write with a reset, which fails `ended`.
  for (const rest of [part, part]) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    assert.not.ok(client.readableEnded);
    client.write(rest);
  }
  await within(5_000, ended);
});

wire('what is left of a refused body is read, so that the connection serves the next request', async () => {
  const chunk = `2000\r\n${'x'.repeat(0x2000)}\r\n`;
  const head = `POST /api/sessions HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`;
  const next = `GET /api/health HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
  const answers = await rawRequest(world.listening.port, `${head}${chunk.repeat(100)}0\r\n\r\n${next}`, '"ok"}');
  assert.match(answers, /^HTTP\/1\.1 413 [\s\S]*HTTP\/1\.1 200 /);
});

wire('the limit also holds for a body that nobody wants', async () => {
  const remove = (headers: string, body: string) =>
    rawRequest(
      world.listening.port,
      `DELETE /api/sessions/x HTTP/1.1\r\n${host}Connection: close\r\n${headers}\r\n\r\n${body}`,
    );
  const chunked = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`;
  assert.is(codeOf(await remove('Content-Length: 1001', 'x'.repeat(1_001))), '413 payload_too_large');
  assert.is(codeOf(await remove('Transfer-Encoding: chunked', chunked(1_001))), '413 payload_too_large');
  assert.match(await remove('Transfer-Encoding: chunked', chunked(1_000)), /^HTTP\/1\.1 204 /);
});

wire('a body over the limit is 413, declared, chunked or lied about', async () => {
  const big = JSON.stringify({ title: 'x'.repeat(2_000) });
  const post = (headers: string, body: string) =>
    rawRequest(
      world.listening.port,
      `POST /api/sessions HTTP/1.1\r\n${host}Connection: close\r\n${headers}\r\n\r\n${body}`,
      '}}',
    );
  assert.is(codeOf(await post(`Content-Length: ${big.length}`, '')), '413 payload_too_large');
  assert.is(codeOf(await post(`Content-Length: ${big.length}`, big)), '413 payload_too_large');
  const chunks = `${big.length.toString(16)}\r\n${big}\r\n0\r\n\r\n`;
  assert.is(codeOf(await post('Transfer-Encoding: chunked', chunks)), '413 payload_too_large');
  const endless = `${big.length.toString(16)}\r\n${big}\r\n`;
  assert.is(codeOf(await post('Transfer-Encoding: chunked', endless)), '413 payload_too_large');
  const both = await post(`Content-Length: 2\r\nTransfer-Encoding: chunked`, chunks);
  assert.is(codeOf(both), '400 bad_path');
});

wire('a chunked body within the limit is read', async () => {
  const answer = await rawRequest(
    world.listening.port,
    `POST /api/sessions HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\n{"tit\r\n9\r\nle":"Hi"}\r\n0\r\n\r\n`,
  );
  assert.match(answer, '201');
  assert.match(answer, '{"title":"Hi"}');
});

wire('malformed requests get the envelope, never a stack or silence', async () => {
  const send = (bytes: string) => rawRequest(world.listening.port, bytes);
  const close = 'Connection: close\r\n\r\n';
  assert.is(codeOf(await send(`GET / HTTP/1.1\r\n${close}`)), '400 bad_path');
  assert.is(codeOf(await send(`GET / HTTP/1.1\r\n${host}${host}${close}`)), '400 bad_path');
  assert.is(codeOf(await send(`GET / HTTP/1.1\r\nHost: a b\r\n${close}`)), '400 bad_path');
  assert.is(codeOf(await send(`GET / HTTP/1.1\r\nHost: u:p@x\r\n${close}`)), '400 bad_path');
  assert.is(codeOf(await send(`GET http://evil.test/api/health HTTP/1.1\r\n${host}${close}`)), '400 bad_path');
  assert.is(codeOf(await send(`OPTIONS * HTTP/1.1\r\n${host}${close}`)), '400 bad_path');
  assert.is(codeOf(await send(`TRACE /api/health HTTP/1.1\r\n${host}${close}`)), '405 method_not_allowed');
  assert.is(
    codeOf(await send(`GET / HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n${close}`)),
    '413 payload_too_large',
  );
  assert.is(codeOf(await send('GARBAGE\r\n\r\n')), '400 bad_path');
  assert.is(codeOf(await send(`PUT /api/sessions HTTP/1.1\r\n${host}${close}`)), '405 method_not_allowed');
});

wire('traversal is 403 forbidden in every spelling', async () => {
  const targets = ['/../etc/passwd', '/a/../../x', '/%2e%2e/x', '/..%2fx', '/.%2E/x', '/..\\x', '/..%5cx', '/a%5cb'];
  for (const target of [...targets, '/a%00b', '/%2fetc/passwd', '/api/../index.html', '/assets/..'])
    assert.is(codeOf(await get(target)), '403 forbidden', target);
});
wire.run();

const files = suite('Static files: the console, and nothing else of the disk');
files.before(before);
files.after(after);

files('index at the root, types by name, revalidation by ETag', async () => {
  const index = await fetch(world.url);
  assert.is(await index.text(), '<h1>console</h1>');
  assert.is(index.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.is(index.headers.get('x-content-type-options'), 'nosniff');
  assert.is((await fetch(world.url, { method: 'HEAD' })).headers.get('content-length'), '16');
  assert.match((await fetch(`${world.url}/app.js`)).headers.get('content-type') ?? '', /javascript/);
  const etag = index.headers.get('etag') ?? '';
  for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*'])
    assert.is((await fetch(world.url, { headers: { 'if-none-match': known } })).status, 304, known);
  assert.is((await fetch(world.url, { headers: { 'if-none-match': '"other"' } })).status, 200);
});

files('another method on a file is 405, on nothing 404, outside 403', async () => {
  const post = async (path: string) =>
    rawRequest(
      world.listening.port,
      `POST ${path} HTTP/1.1\r\n${host}Content-Length: 2\r\nConnection: close\r\n\r\n{}`,
    );
  for (const path of ['/', '/app.js']) {
    const answer = await post(path);
    assert.is(codeOf(answer), '405 method_not_allowed', path);
    assert.match(answer, /\r\nallow: GET, HEAD, OPTIONS\r\n/i);
  }
  assert.is(codeOf(await post('/nope')), '404 not_found');
  assert.is(codeOf(await post('/%2e%2e/x')), '403 forbidden');
});

files('nobody may frame the page, and it may frame the sandbox document only', async () => {
  const policy = (await fetch(world.url)).headers.get('content-security-policy');
  assert.is(policy, `frame-ancestors 'none'; frame-src ${new URL(world.url).host}/plugin-sandbox.html`);
});

files('dotfiles, links that lead outside, directories and unknown names are 404', async () => {
  for (const path of ['/.env', '/passwd.txt', '/assets', '/assets/', '/nope', '/api'])
    assert.is(codeOf(await get(path)), '404 not_found', path);
});
files.run();

const listening = suite('Listening');
listening('a port in use is said in plain words', async () => {
  const own = await start(root);
  const { app } = fakeApp();
  const again = serve(createRouter([], app), app, { host: '127.0.0.1', port: own.listening.port });
  const error = await again.then(
    () => undefined,
    (failure: Error) => failure,
  );
  assert.match(error?.message ?? '', /in use/);
  await own.listening.close(0);
});
listening.run();
