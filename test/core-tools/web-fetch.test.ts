import type { ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../helpers/within.ts';
import { createToolBench } from './tool-bench.ts';
import { createWebBench, withServer } from './web-bench.ts';

const test = suite('web_fetch gives what a page says, and no page can hurt it');

/** What the tool makes of one answer. */
async function fetched(
  headers: Record<string, string>,
  body: string | Uint8Array,
  { status = 200, raw }: { status?: number; raw?: boolean } = {},
) {
  return withServer(
    (_, response) => response.writeHead(status, headers).end(body),
    async ({ url }) => {
      const result = await within(
        20_000,
        createWebBench().fetch(`${url}/page`, { approved: true, ...(raw ? { raw } : {}) }),
      );
      return { ...result, content: result.content.replaceAll(url, 'http://host') };
    },
  );
}

const html = { 'content-type': 'text/html; charset=utf-8' };

test('it asks by default and shows the URL that will be requested', async () => {
  const { tools } = await createToolBench();
  assert.is(tools.get('web_fetch')?.permission, 'ask');
  const describe = (url: string) => tools.get('web_fetch')?.describe?.({ url });
  assert.is(describe('https://a.example/x y'), 'Fetch: https://a.example/x%20y');
  assert.is(describe('http://2130706433/'), 'Fetch: http://127.0.0.1/');
  assert.is(describe('https://\u0430pple.com/\u202e'), 'Fetch: https://xn--pple-43d.com/%E2%80%AE');
  assert.is(describe('no\u202eurl'), 'Fetch: no\\u{202e}url');
});

test('a page becomes readable text', async () => {
  const { content, data } = await fetched(
    html,
    `<!doctype html><html><head><title>A &amp; B</title><style>x{}</style><script>alert(1)</script></head>
     <body><nav><a href="/">Home</a></nav><h1>Top</h1><p>One <b>bold</b>
     word.<br>Next &lt;line&gt;</p><ul><li>first</li><li>second<ol><li>a</li><li>b</li></ol></li></ul>
     <pre>  keep
    this</pre><table><tr><th>k</th><td>v</td></tr></table><p><a href="sub/x?y=1">link</a> <a href="javascript:x()">js</a>
     <img src="x.png" alt="a cat"></p><noscript>no</noscript></body></html>`,
  );
  const [head, ...rest] = content.split('\n\n');
  assert.is(head, 'URL: http://host/page\nTitle: A & B');
  assert.is(
    rest.join('\n\n'),
    [
      'Home <http://host/>',
      '# Top',
      'One bold word.\nNext <line>',
      '- first\n- second\n\n  1. a\n  2. b',
      '  keep\n    this',
      '| k | v',
      'link <http://host/sub/x?y=1> js [image: a cat]',
    ].join('\n\n'),
  );
  assert.is((data as { title: string }).title, 'A & B');
});

test('the main part of a page is what counts when there is one', async () => {
  const words = 'These are the words that the page is about. '.repeat(10);
  const { content } = await fetched(
    html,
    `<nav>menu</nav><main><h1>It</h1><p>${words}</p></main><footer>legal</footer>`,
  );
  assert.match(content, /# It/);
  assert.not.match(content, /menu|legal/);
});

test('raw gives the source', async () => {
  assert.match((await fetched(html, '<p>x</p>', { raw: true })).content, /\n\n<p>x<\/p>$/);
});

test('text and JSON are given as they are', async () => {
  assert.match((await fetched({ 'content-type': 'application/json' }, '{"a":1}')).content, /\n\n\{"a":1\}$/);
  assert.match((await fetched({}, 'plain')).content, /\n\nplain$/);
});

test('character sets: header, byte order mark, meta', async () => {
  const latin = Buffer.from('caf\xe9', 'latin1');
  assert.match((await fetched({ 'content-type': 'text/plain; charset=iso-8859-1' }, latin)).content, /café$/);
  assert.match(
    (await fetched({ 'content-type': 'text/html' }, Buffer.from('<meta charset="windows-1252"><p>caf\xe9', 'latin1')))
      .content,
    /café$/,
  );
  assert.match(
    (await fetched({ 'content-type': 'text/plain' }, Buffer.from('\ufeffcafé', 'utf16le'))).content,
    /café$/,
  );
  assert.match((await fetched({ 'content-type': 'text/plain; charset=no-such' }, 'café')).content, /café$/);
});

test('an image is shown as one', async () => {
  const { images } = await fetched({ 'content-type': 'image/png' }, Buffer.from([1, 2, 3]));
  assert.equal(images, [{ mimeType: 'image/png', data: 'AQID' }]);
});

test('a failure keeps its status and its text', async () => {
  const { content, isError } = await fetched({ 'content-type': 'text/plain' }, 'gone', { status: 410 });
  assert.is(isError, true);
  assert.match(content, /Status: 410\n\ngone/);
});

test('what is no text is named, not shown', async () => {
  const { content, isError } = await fetched({ 'content-type': 'application/zip' }, 'PK\x03\x04');
  assert.is(isError, true);
  assert.match(content, /application\/zip/);
});

test('characters that only a model would read are removed', async () => {
  assert.match((await fetched({ 'content-type': 'text/plain' }, 'a\u{e0041}\u{e007f}b')).content, /\n\nab$/);
});

test('packed answers are unpacked', async () => {
  for (const [encoding, body] of [
    ['gzip', gzipSync('hello')],
    ['deflate', deflateSync('hello')],
    ['br', brotliCompressSync('hello')],
    ['gzip, br', brotliCompressSync(gzipSync('hello'))],
  ] as const)
    assert.match(
      (await fetched({ 'content-type': 'text/plain', 'content-encoding': encoding }, body)).content,
      /hello$/,
      encoding,
    );
  for (const encoding of ['zstd', 'gzip, gzip, gzip'])
    assert.is((await fetched({ 'content-type': 'text/plain', 'content-encoding': encoding }, 'x')).isError, true);
  assert.is((await fetched({ 'content-encoding': 'gzip' }, 'not packed')).isError, true);
});

test('a packed gigabyte costs megabytes', async () => {
  const zeros = Buffer.alloc(300 * 1024 * 1024);
  const bombs = {
    gzip: gzipSync(zeros),
    deflate: deflateSync(zeros),
    br: brotliCompressSync(zeros.subarray(0, 100 * 1024 * 1024), { params: { 1: 1 } }),
  };
  for (const [encoding, bomb] of Object.entries({ ...bombs, 'gzip, gzip': gzipSync(bombs.gzip) })) {
    global.gc?.();
    const before = process.memoryUsage().rss;
    const { content } = await fetched({ 'content-type': 'text/plain', 'content-encoding': encoding }, bomb);
    const grown = (process.memoryUsage().rss - before) / 1024 ** 2;
    assert.match(content, /Only the beginning/, encoding);
    assert.ok(content.length <= 100_000);
    assert.ok(grown < 120, `${encoding}: ${Math.round(grown)} MB`);
  }
});

test('a page nested to the bottom of the sea ends early, and timers go on', async () => {
  const ticks = { count: 0 };
  const timer = setInterval(() => ticks.count++, 10);
  for (const page of [
    '<div>'.repeat(700_000),
    `${'<b>'.repeat(999)}${'<a href=x>y'.repeat(100_000)}`,
    `<p>${'</x>'.repeat(900_000)}`,
    `<div ${'a=b '.repeat(800_000)}>`,
  ]) {
    const result = await within(12_000, fetched(html, page));
    assert.ok(result.content.length <= 100_000);
  }
  clearInterval(timer);
  assert.ok(ticks.count > 5);
});

test('an endless answer is cut, and one that never comes ends with fetchTimeoutMs', async () => {
  const endless = (response: ServerResponse) => {
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', write);
    write();
  };
  await withServer(
    (request, response) => {
      if (request.url === '/never') return;
      response.writeHead(200, { 'content-type': 'text/plain' });
      if (request.url === '/endless') endless(response);
      else response.write('slow');
    },
    async ({ url }) => {
      const { fetch } = createWebBench({}, { fetchTimeoutMs: 300 });
      assert.match(
        (await within(5_000, fetch(`${url}/never`, { approved: true }))).content,
        /did not arrive within 300 ms/,
      );
      assert.match(
        (await within(5_000, fetch(`${url}/drip`, { approved: true }))).content,
        /did not arrive within 300 ms/,
      );
      const patient = createWebBench();
      assert.match(
        (await within(10_000, patient.fetch(`${url}/endless`, { approved: true }))).content,
        /Only the beginning/,
      );
    },
  );
});

test('cancel ends a fetch', async () => {
  await withServer(
    () => {},
    async ({ url }) => {
      const abort = new AbortController();
      setTimeout(() => abort.abort(new Error('cancelled')), 100);
      const result = await within(2_000, createWebBench().fetch(url, { approved: true, signal: abort.signal }));
      assert.is(result.content, 'cancelled');
    },
  );
});

test('a redirect is followed to its page', async () => {
  await withServer(
    (request, response) =>
      request.url === '/a'
        ? response.writeHead(301, { location: 'b' }).end()
        : response.end(`at ${request.url}, as ${request.headers['user-agent']}`),
    async ({ url }) => {
      const { content } = await createWebBench().fetch(`${url}/a`, { approved: true });
      assert.is(content, `URL: ${url}/b\n\nat /b, as agent-session-service/1.2.3`);
    },
  );
});

test.run();
