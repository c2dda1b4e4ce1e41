import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import assetHandler from '../../handlers/plugins/asset.ts';
import eventsHandler from '../../handlers/plugins/events.ts';
import listHandler from '../../handlers/plugins/list.ts';
import type { App } from '../../lib/app.ts';
import type { Platform } from '../../lib/http/endpoint.ts';
import type { PluginHost } from '../../lib/plugins/plugin-host.ts';
import { fakeApp } from '../helpers/fake-app.ts';
import { errorOf, invoke } from '../helpers/invoke.ts';
import { within } from '../helpers/within.ts';
import { type HostOptions, type PluginFolders, pluginFolders } from './plugin-folders.ts';

interface Fixture {
  folders: PluginFolders;
}

const idle = 'export default { apply() {} };';

function platformOf(plugins: PluginHost, signal = new AbortController().signal): Platform {
  const { app } = fakeApp();
  return { app: { ...slice(app), plugins } as App, signal };
}

const slice = ({ clock, log, hideSecrets, config, auth }: App): Partial<App> => ({
  clock,
  log,
  hideSecrets,
  config,
  auth,
});

const assets = suite<Fixture>('Browser assets are served from /plugins/<id>/<file>');
assets.before.each((fixture) => {
  fixture.folders = pluginFolders();
});
assets.after.each((fixture) => fixture.folders.close());

async function serving(
  folders: PluginFolders,
  options: HostOptions = {},
): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  folders.plugin('@team/clock', idle, {
    manifest: { web: { entry: 'main.js', css: ['style.css'] } },
    files: {
      'web/main.js': 'export default () => {};',
      'web/style.css': 'a{}',
      'web/.env': 'SECRET=1',
      'secret.txt': 'no',
    },
  });
  const { host } = folders.host(options);
  await within(5_000, host.load());
  return (path, init) => invoke(assetHandler, platformOf(host), path, init);
}

assets(
  'public, readable by every origin, never cached without asking, with its own content type',
  async ({ folders }) => {
    const get = await serving(folders);
    const script = await get('/plugins/%40team%2Fclock/main.js');
    assert.is(script.status, 200);
    assert.is(await script.text(), 'export default () => {};');
    assert.is(script.headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.is(script.headers.get('access-control-allow-origin'), '*');
    assert.is(script.headers.get('cache-control'), 'no-cache');
    assert.match(script.headers.get('content-security-policy') ?? '', /sandbox/);
    const style = await get('/plugins/%40team%2Fclock/style.css?v=abc');
    assert.is(style.headers.get('content-type'), 'text/css; charset=utf-8');
  },
);

assets('an unchanged asset is answered 304', async ({ folders }) => {
  const get = await serving(folders);
  const first = await get('/plugins/%40team%2Fclock/main.js');
  assert.is(first.headers.get('content-length'), '24');
  const etag = first.headers.get('etag') ?? '';
  for (const known of [etag, etag.replace('W/', ''), '*']) {
    const again = await get('/plugins/%40team%2Fclock/main.js', { headers: { 'if-none-match': known } });
    assert.is(again.status, 304, known);
  }
  const other = await get('/plugins/%40team%2Fclock/main.js', { headers: { 'if-none-match': `"x${etag}` } });
  assert.is(other.status, 200);
});

assets('nothing outside web/ is ever served', async ({ folders }) => {
  const get = await serving(folders);
  for (const file of [
    '..%2Fsecret.txt',
    '%2e%2e/secret.txt',
    'a/..%2F..%2Fsecret.txt',
    '..%5Csecret.txt',
    '%2Fetc%2Fpasswd',
    '.env',
    'missing.js',
    '',
    'C:%5Ca',
  ])
    assert.is((await get(`/plugins/%40team%2Fclock/${file}`)).status, 404, file);
  assert.equal((await errorOf(await get('/plugins/%40team%2Fclock/%ff'))).code, 'bad_path');
});

assets('a symbolic link out of web/ is not followed, one inside is', async ({ folders }) => {
  const get = await serving(folders);
  const web = join(folders.root, 'plugins', encodeURIComponent('@team/clock'), 'web');
  symlinkSync('../secret.txt', join(web, 'out.txt'));
  symlinkSync('main.js', join(web, 'in.js'));
  assert.is((await get('/plugins/%40team%2Fclock/out.txt')).status, 404);
  assert.is((await get('/plugins/%40team%2Fclock/in.js')).status, 200);
});

assets('an inactive, failed or unknown plugin has none', async ({ folders }) => {
  const get = await serving(folders, { plugins: { allow: [] } });
  assert.is((await get('/plugins/%40team%2Fclock/main.js')).status, 404);
  assert.equal((await errorOf(await get('/plugins/nobody/main.js'))).code, 'not_found');
});

assets(
  '/api/plugins lists entry and stylesheets as URL paths; a missing entry leaves the plugin active without a bundle',
  async ({ folders }) => {
    folders.plugin('@team/clock', idle, {
      manifest: { web: { entry: 'src/main file.js', css: ['a.css'], api: [], capabilities: ['composer.submit'] } },
      files: { 'web/src/main file.js': '' },
    });
    folders.plugin('no-entry', idle, { manifest: { web: 'gone.js' } });
    const { host } = folders.host();
    await within(5_000, host.load());
    const { plugins } = (await (await invoke(listHandler, platformOf(host), '/api/plugins')).json()) as {
      plugins: object[];
    };
    assert.equal(plugins, [
      {
        id: '@team/clock',
        name: '@team/clock',
        version: '1.2.3',
        state: 'active',
        dependencies: [],
        web: {
          entry: '/plugins/%40team%2Fclock/src/main%20file.js',
          css: ['/plugins/%40team%2Fclock/a.css'],
          api: [],
          capabilities: ['composer.submit'],
        },
      },
      { id: 'no-entry', name: 'no-entry', version: '1.2.3', state: 'active', dependencies: [] },
    ]);
  },
);
assets.run();

const reload = suite<Fixture>('Hot reload fingerprints the bundles and streams changes');
reload.before.each((fixture) => {
  fixture.folders = pluginFolders();
});
reload.after.each((fixture) => fixture.folders.close());

/** The data of the frames of an event stream, as they come. */
async function* frames(response: Response): AsyncGenerator<Record<string, unknown>> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (reader !== undefined) {
    const { value, done } = await within(10_000, reader.read());
    if (done) return;
    text += value;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const frame = text.slice(0, end);
      text = text.slice(end + 2);
      assert.not.match(frame, /^event:/m);
      if (frame.startsWith('data: ')) yield JSON.parse(frame.slice(6)) as Record<string, unknown>;
    }
  }
}

async function watched(
  folders: PluginFolders,
  hotReload: boolean,
): Promise<{ host: PluginHost; folder: string; save(text: string): void }> {
  const folder = folders.plugin('clock', idle, { manifest: { web: 'main.js' }, files: { 'web/main.js': 'one' } });
  const { host } = folders.host({ plugins: { hotReload, hotReloadIntervalMs: 1 } });
  await within(5_000, host.load());
  return { host, folder, save: (text) => writeFileSync(join(folder, 'web/main.js'), text) };
}

const revisionOf = (host: PluginHost): string | undefined => host.list()[0]?.web?.revision;

reload('first `ready`, then one frame per save, and the list carries the new revision', async ({ folders }) => {
  const { host, save } = await watched(folders, true);
  const before = revisionOf(host);
  assert.type(before, 'string');
  const client = new AbortController();
  const response = await invoke(eventsHandler, platformOf(host, client.signal), '/api/plugins/events');
  assert.is(response.headers.get('content-type'), 'text/event-stream');
  const stream = frames(response);
  assert.equal((await stream.next()).value, {
    type: 'ready',
    enabled: true,
    plugins: [{ id: 'clock', revision: before }],
  });
  for (const text of ['two', 'three']) {
    save(text);
    const { value } = await stream.next();
    assert.is(value?.type, 'plugins.changed');
    assert.equal(value?.plugins, [{ id: 'clock', revision: revisionOf(host) }]);
    assert.match(String(value?.at), /^\d{4}-\d\d-\d\dT/);
  }
  client.abort();
  assert.is((await stream.next()).done, true);
});

reload('the fingerprint follows the contents: a save that changes nothing is none', async ({ folders }) => {
  const { host, save } = await watched(folders, true);
  const before = revisionOf(host);
  const seen: unknown[] = [];
  host.watch((changes) => seen.push(changes));
  save('one');
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.equal(seen, []);
  assert.is(revisionOf(host), before);
});

reload('a bundle whose entry is built after the start appears without a restart', async ({ folders }) => {
  const folder = folders.plugin('late', idle, {
    manifest: { web: 'main.js' },
    files: { 'web/readme.txt': 'to be built' },
  });
  const { host, info } = folders.host({ plugins: { hotReload: true, hotReloadIntervalMs: 1 } });
  await within(5_000, host.load());
  assert.equal([info('late')?.state, info('late')?.web], ['active', undefined]);
  const change = new Promise((resolve) => host.watch(resolve));
  writeFileSync(join(folder, 'web/main.js'), 'built');
  await within(5_000, change);
  assert.equal(await change, [{ id: 'late', revision: info('late')?.web?.revision }]);
});

reload('off, it says so and stays idle, and no revision is listed', async ({ folders }) => {
  const { host, save } = await watched(folders, false);
  assert.is(revisionOf(host), undefined);
  const client = new AbortController();
  const stream = frames(await invoke(eventsHandler, platformOf(host, client.signal), '/api/plugins/events'));
  assert.equal((await stream.next()).value, { type: 'ready', enabled: false, plugins: [] });
  save('two');
  const next = stream.next();
  setTimeout(() => client.abort(), 400);
  assert.is((await next).done, true);
});
reload.run();
