import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import sandboxEntry from '../../handlers/plugins/sandbox-entry.ts';
import consoleFiles from '../../handlers/static/console.ts';
import pluginSandbox from '../../handlers/static/plugin-sandbox.ts';
import type { App } from '../../lib/app.ts';
import type { PluginHost } from '../../lib/plugins/plugin-host.ts';
import { fakeApp } from '../helpers/fake-app.ts';
import { invoke } from '../helpers/invoke.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { type PluginFolders, pluginFolders } from '../plugins/plugin-folders.ts';

interface Fixture {
  folders: PluginFolders;
  document(query: string, host?: string, headers?: Record<string, string>): Promise<Response>;
  entry(path: string, init?: RequestInit): Promise<Response>;
}

const idle = 'export default { apply() {} };';
/** Values of `X-Forwarded-Prefix` that could mean something else in a policy. */
const unfit = ['/a b', '/a;script-src *', '/a,/b', 'a', '//evil.test', '/a/../b', '/%2e%2e', "/'unsafe-inline'", '/*'];
const source = '\ufeff#!/usr/bin/env node\nexport default () => {};\n';

async function prepare(fixture: Fixture): Promise<void> {
  const folders = pluginFolders();
  folders.plugin('@team/clock', idle, {
    manifest: { web: { entry: 'ui/main file.js', css: ['style.css'] } },
    files: { 'web/ui/main file.js': source, 'web/ui/other.js': 'export {};', 'web/style.css': 'a{}' },
  });
  folders.plugin('bare', idle);
  folders.plugin('broken', 'throw new Error("no");', {
    manifest: { web: 'main.js' },
    files: { 'web/main.js': 'export default () => {};' },
  });
  const { host } = folders.host();
  await within(5_000, host.load());
  const platform = platformOf(host);
  fixture.folders = folders;
  fixture.document = (query, name = 'svc.test:8080', headers = {}) =>
    invoke(pluginSandbox, platform, `/plugin-sandbox.html${query}`, { headers: { host: name, ...headers } });
  fixture.entry = (path, init) => invoke(sandboxEntry, platform, path, init);
}

function platformOf(plugins: PluginHost) {
  const { app } = fakeApp();
  return { app: { ...app, plugins } as App, signal: new AbortController().signal };
}

function directive(response: Response, name: string): string | undefined {
  const policy = response.headers.get('content-security-policy') ?? '';
  return policy.split('; ').find((part) => part.startsWith(`${name} `));
}

const documents = suite<Fixture>('GET /plugin-sandbox.html is the sandbox document for plugin bundles');
documents.before.each(prepare);
documents.after.each(({ folders }) => folders.close());

documents('public, never cached without asking, and telling nobody where it was', async ({ document }) => {
  const response = await document('?plugin=%40team%2Fclock');
  assert.is(response.status, 200);
  assert.is(response.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.is(response.headers.get('cache-control'), 'no-cache');
  assert.is(response.headers.get('referrer-policy'), 'no-referrer');
  assert.is(response.headers.get('x-content-type-options'), 'nosniff');
  assert.is(response.headers.get('x-dns-prefetch-control'), 'off');
  assert.not.ok(response.headers.has('x-frame-options'));
  assert.is(response.headers.get('connection-allowlist'), '(response-origin)');
  const denied = (response.headers.get('permissions-policy') ?? '').split(', ');
  assert.equal(
    denied.filter((feature) => !/^[a-z-]+=\(\)$/.test(feature)),
    [],
  );
  for (const feature of ['camera', 'clipboard-read', 'clipboard-write', 'fullscreen', 'focus-without-user-activation'])
    assert.ok(denied.includes(`${feature}=()`), feature);
});

documents(
  'only the entry of the manifest may run beside the bootstrap, whose hash is that of the script inside',
  async ({ document }) => {
    const response = await document('?plugin=%40team%2Fclock&v=7&entry=evil.js');
    const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(await response.text()) ?? [];
    const hash = createHash('sha256').update(script).digest('base64');
    const entry = 'svc.test:8080/plugins/%40team%2Fclock/.sandbox/ui/main%20file.js';
    assert.is(directive(response, 'script-src'), `script-src 'sha256-${hash}' http://${entry} https://${entry}`);
    assert.ok(script.length > 500);
  },
);

documents('nothing can connect; images, styles and fonts come from the service or from data', async ({ document }) => {
  const response = await document('?plugin=%40team%2Fclock');
  const policy = response.headers.get('content-security-policy') ?? '';
  assert.match(policy, /^sandbox allow-scripts; default-src 'none'; /);
  for (const kind of ['connect', 'frame', 'child', 'worker', 'object', 'media', 'manifest'])
    assert.is(directive(response, `${kind}-src`), `${kind}-src 'none'`);
  const own = 'http://svc.test:8080 https://svc.test:8080';
  assert.is(directive(response, 'style-src'), `style-src ${own} data: 'unsafe-inline'`);
  assert.is(directive(response, 'img-src'), `img-src data: blob: ${own}`);
  assert.is(directive(response, 'font-src'), `font-src data: ${own}`);
  assert.is(directive(response, 'base-uri'), "base-uri 'none'");
  assert.is(directive(response, 'form-action'), "form-action 'none'");
  assert.is(directive(response, 'frame-ancestors'), "frame-ancestors 'self'");
  assert.not.match(policy, /nonce|strict-dynamic|unsafe-eval|\*/);
});

for (const query of ['', '?plugin=', '?plugin=nobody', '?plugin=bare', '?plugin=broken', '?plugin=__proto__'])
  documents(`with "${query}" nothing but the bootstrap may run`, async ({ document }) => {
    const response = await document(query);
    assert.is(response.status, 200);
    assert.match(directive(response, 'script-src') ?? '', /^script-src 'sha256-[A-Za-z0-9+/=]{44}'$/);
  });

documents('behind a proxy that takes a path away, the entry is named with it', async (fixture) => {
  const response = await fixture.document('?plugin=%40team%2Fclock', 'svc.test', { 'x-forwarded-prefix': '/agents/' });
  assert.match(
    directive(response, 'script-src') ?? '',
    / http:\/\/svc\.test\/agents\/plugins\/%40team%2Fclock\/\.sandbox\/ui\/main%20file\.js$/,
  );
});

for (const prefix of unfit)
  documents(`a prefix like ${prefix} stands in no policy`, async (fixture) => {
    const response = await fixture.document('?plugin=%40team%2Fclock', 'svc.test', { 'x-forwarded-prefix': prefix });
    assert.match(directive(response, 'script-src') ?? '', /^script-src 'sha256-[A-Za-z0-9+/=]{44}'$/);
  });

for (const host of ['[::1]:8080', "a.test; script-src 'unsafe-inline'", 'a.test evil.test', 'a.test/x', '*', 'A.test,'])
  documents(`a host name like ${host} stands in no policy`, async ({ document }) => {
    const response = await document('?plugin=%40team%2Fclock', host);
    assert.match(directive(response, 'script-src') ?? '', /^script-src 'sha256-[A-Za-z0-9+/=]{44}'$/);
    assert.is(directive(response, 'img-src'), 'img-src data: blob:');
  });
documents.run();

const consoles = suite<{ page(headers: Record<string, string>): Promise<Response> }>(
  'The console may frame the sandbox document of its own service, and nothing else',
);
consoles.before.each((fixture) => {
  const webRoot = tempDirectory('web-root');
  writeFileSync(join(webRoot, 'index.html'), '<title>Console</title>');
  const { app } = fakeApp({ server: { webRoot } });
  const platform = { app, signal: new AbortController().signal };
  fixture.page = (headers) => invoke(consoleFiles, platform, '/', { headers });
});

for (const [headers, only] of [
  [{ host: 'svc.test:8080' }, 'svc.test:8080/plugin-sandbox.html'],
  [{ host: 'svc.test', 'x-forwarded-prefix': '/agents' }, 'svc.test/agents/plugin-sandbox.html'],
  [{ host: '[::1]:8080' }, "'none'"],
  [{ host: 'a.test *' }, "'none'"],
  ...unfit.map((prefix) => [{ host: 'svc.test', 'x-forwarded-prefix': prefix }, "'none'"] as const),
] as const)
  consoles(
    `${JSON.stringify(headers)}: frame-src ${only}, to the letter; and nobody may frame it`,
    async ({ page }) => {
      const response = await page(headers);
      assert.is(response.status, 200);
      assert.is(response.headers.get('content-security-policy'), `frame-ancestors 'none'; frame-src ${only}`);
    },
  );

consoles('also in an answer 304, which replaces the headers that the browser has', async ({ page }) => {
  const etag = (await page({ host: 'svc.test' })).headers.get('etag') ?? '';
  const response = await page({ host: 'svc.test', 'if-none-match': etag });
  assert.is(response.status, 304);
  assert.match(response.headers.get('content-security-policy') ?? '', /frame-src svc\.test\/plugin-sandbox\.html$/);
});
consoles.run();

const entries = suite<Fixture>('The entry of a bundle is served with one line in front');
entries.before.each(prepare);
entries.after.each(({ folders }) => folders.close());

entries('to every origin, as a script, the rest unchanged', async ({ entry }) => {
  const response = await entry('/plugins/%40team%2Fclock/.sandbox/ui/main%20file.js?v=1');
  assert.is(response.status, 200);
  assert.is(response.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.is(response.headers.get('access-control-allow-origin'), '*');
  assert.is(response.headers.get('cross-origin-resource-policy'), 'cross-origin');
  const [prelude = '', ...rest] = (await response.text()).split('\n');
  assert.match(prelude, /^if\(parent!==top\)throw .*RTC.*delete globalThis\[k\];$/);
  assert.is(rest.join('\n'), '\nexport default () => {};\n');
});

entries('an unchanged entry is answered 304', async ({ entry }) => {
  const path = '/plugins/%40team%2Fclock/.sandbox/ui/main%20file.js';
  const etag = (await entry(path)).headers.get('etag') ?? '';
  assert.is((await entry(path, { headers: { 'if-none-match': etag } })).status, 304);
});

for (const path of [
  '/plugins/%40team%2Fclock/.sandbox/ui/other.js',
  '/plugins/%40team%2Fclock/.sandbox/style.css',
  '/plugins/%40team%2Fclock/.sandbox/ui/../ui/other.js',
  '/plugins/broken/.sandbox/main.js',
  '/plugins/bare/.sandbox/main.js',
  '/plugins/nobody/.sandbox/main.js',
])
  entries(`nothing else is there: ${path}`, async ({ entry }) => {
    assert.is((await entry(path)).status, 404);
  });
entries.run();
