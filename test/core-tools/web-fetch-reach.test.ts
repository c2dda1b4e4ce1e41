import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../helpers/within.ts';
import { createWebBench, withServer } from './web-bench.ts';

const test = suite('web_fetch reaches the public web, private hosts only as approved, and some places never');

/** Refused for everybody, whatever was approved. */
const never = [...urlsOf('never'), '', 'http://exa mple.com'];

/** Only with an approval, and never where there are tenants. */
const visiblyPrivate = urlsOf('private');

/** Names that look public and are not: an approval does not cover what nobody could see. */
const secretlyPrivate = urlsOf('secretly private');

const names = {
  'metadata.google.internal': ['169.254.169.254'],
  'metadata.aws.test': ['1.1.1.1', '169.254.169.254'],
  localhost: ['127.0.0.1', '::1'],
  'sub.localhost': ['127.0.0.1'],
  database: ['10.1.2.3'],
  'printer.local': ['192.168.0.9'],
  'git.corp': ['10.9.9.9'],
  'rebind.example.com': ['127.0.0.1'],
  'mixed.example.com': ['1.1.1.1', '10.0.0.1'],
  'six.example.com': ['fd12::1'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
  'nat.example.com': ['64:ff9b::7f00:1'],
  '10.0.0.1.nip.example': ['10.0.0.1'],
};

test('the corpus is large enough to mean something', () => {
  assert.ok(never.length + visiblyPrivate.length + secretlyPrivate.length >= 100);
  assert.is(new Set([...never, ...visiblyPrivate]).size, never.length + visiblyPrivate.length);
});

test('some places are never reached', async () => {
  const { fetch } = createWebBench(names);
  for (const url of never) {
    const { content, isError } = await within(2_000, fetch(url, { approved: true }));
    assert.is(isError, true, url);
    assert.not.match(content, /could not be reached/, `${url}: ${content}`);
  }
});

test('private hosts are refused without an approval', async () => {
  const { fetch } = createWebBench(names);
  for (const url of [...visiblyPrivate, ...secretlyPrivate]) {
    const { content } = await within(2_000, fetch(url));
    assert.match(content, /private network/, `${url}: ${content}`);
  }
});

test('where there are tenants, an approval changes nothing', async () => {
  const { fetch } = createWebBench(names, {}, { authMode: 'accounts' });
  for (const url of [...visiblyPrivate, ...secretlyPrivate])
    assert.match((await within(2_000, fetch(url, { approved: true }))).content, /private network/, url);
});

test('an approval covers a host that looks private, not one that only resolves to it', async () => {
  const { fetch } = createWebBench(names, { fetchTimeoutMs: 150 });
  for (const url of secretlyPrivate)
    assert.match((await within(2_000, fetch(url, { approved: true }))).content, /private network/, url);
  for (const url of ['http://127.1:1/', 'http://2130706433:1/', 'http://localhost:1/', 'http://[::ffff:127.0.0.1]:1/'])
    assert.match(
      (await within(2_000, fetch(url, { approved: true }))).content,
      /could not be reached|did not arrive/,
      url,
    );
});

test('the exceptions of the operator: names, addresses, ranges', async () => {
  const allowPrivateHosts = ['database', '10.9.9.9', '192.168.0.0/16', 'fd00::/8', 'metadata.google.internal'];
  const { fetch } = createWebBench(names, { allowPrivateHosts, fetchTimeoutMs: 100 }, { authMode: 'accounts' });
  for (const url of [
    'http://database:1/',
    'http://git.corp:1/',
    'http://printer.local:1/',
    'http://192.168.7.7:1/',
    'http://six.example.com:1/',
  ])
    assert.not.match((await within(2_000, fetch(url))).content, /private network|never/, url);
  assert.match((await fetch('http://10.0.0.1/')).content, /private network/);
  assert.match((await fetch('http://metadata.google.internal/')).content, /never fetched/, 'not even then');
});

test('the port of the service is never reached, whatever the name', async () => {
  await withServer(
    (_, response) => response.end('secret'),
    async ({ port, requests }) => {
      const bench = createWebBench(
        { ...names, 'me.local': ['127.0.0.1'] },
        { allowPrivateHosts: ['127.0.0.0/8'] },
        { ownPorts: () => [port] },
      );
      for (const host of [
        '127.0.0.1',
        'localhost',
        '127.9.9.9',
        '[::1]',
        '[::ffff:127.0.0.1]',
        'me.local',
        '0x7f000001',
      ])
        assert.match(
          (await bench.fetch(`http://${host}:${port}/`, { approved: true })).content,
          /this service itself/,
          host,
        );
      assert.equal(requests, []);
    },
  );
});

test('a redirect is checked like the first request, and does not inherit the approval', async () => {
  await withServer(
    (request, response) => {
      const to = decodeURIComponent((request.url ?? '').slice('/?to='.length));
      response.writeHead(302, { location: to }).end();
    },
    async ({ url, port, requests }) => {
      const { fetch } = createWebBench({ ...names, 'other.local': ['127.0.0.1'] });
      for (const [to, expected] of [
        ['http://169.254.169.254/', /never fetched/],
        ['http://10.0.0.1/', /private network/],
        [`http://localhost:${port}/x`, /private network/],
        [`http://other.local:${port}/x`, /private network/],
        ['file:///etc/passwd', /Only http and https/],
        ['//169.254.169.254/', /never fetched/],
        ['http://user:pass@127.0.0.1/', /user name or password/],
        ['http://[', /no URL|could not/],
        ['gopher://127.0.0.1:6379/_FLUSHALL', /Only http and https/],
      ] as const) {
        const before = requests.length;
        const { content } = await within(2_000, fetch(`${url}/?to=${encodeURIComponent(to)}`, { approved: true }));
        assert.match(content, expected, to);
        assert.is(requests.length, before + 1, `${to} was not requested`);
      }
    },
  );
});

test('redirects end after five', async () => {
  await withServer(
    (request, response) => response.writeHead(302, { location: `/${Number(request.url?.slice(1)) + 1}` }).end(),
    async ({ url, requests }) => {
      const { fetch } = createWebBench();
      assert.match((await within(3_000, fetch(`${url}/0`, { approved: true }))).content, /more than 5 redirects/);
      assert.equal(requests, ['/0', '/1', '/2', '/3', '/4', '/5']);
    },
  );
});

test('a name that means another place a moment later is resolved once, and connected to as checked', async () => {
  await withServer(
    (_, response) => response.end('secret'),
    async ({ port, requests }) => {
      const { fetch, lookups } = createWebBench({ 'flip.example': [['192.0.0.9', '1.1.1.1'], ['127.0.0.1']] });
      assert.match((await fetch(`http://flip.example:${port}/`, { approved: true })).content, /never fetched/);
      assert.equal(lookups, ['flip.example']);
      const bench = createWebBench({ 'flip.example': [['1.1.1.1'], ['127.0.0.1']] }, { fetchTimeoutMs: 400 });
      const { content } = await within(3_000, bench.fetch(`http://flip.example:${port}/`, { approved: true }));
      assert.not.match(content, /secret/);
      assert.equal(bench.lookups, ['flip.example']);
      assert.equal(requests, []);
    },
  );
});

test('a name that nobody knows', async () => {
  assert.is(
    (await createWebBench().fetch('http://nowhere.example/')).content,
    'The host nowhere.example was not found.',
  );
});

/** The URLs of one section of the corpus; lines that begin with # say what they are. */
function urlsOf(section: string): string[] {
  const text = readFileSync('test/core-tools/fixtures/urls.txt', 'utf8').split(`[${section}]\n`)[1] ?? '';
  const lines = (text.split(/^\[[a-z ]+\]$/m)[0] ?? '').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('# ')).flatMap((line) => line.split(' '));
}

test.run();
