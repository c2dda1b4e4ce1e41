import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { handlers } from '../../host/routes.ts';
import type { Handler } from '../../lib/http/endpoint.ts';
import { globSync } from '../glob.mjs';
import { errorOf, invoke } from '../helpers/invoke.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import type { Program, TestAppOptions } from '../helpers/test-app.ts';
import { withApp } from '../helpers/with-app.ts';
import { within } from '../helpers/within.ts';
import { happyCalls, type Scene } from './happy-calls.ts';

const fromBuild = (file: string) => import(pathToFileURL(resolve('dist', file.replace(/ts$/, 'js'))).href);

// Before the first suite runs: it would not wait for those that are declared later.
const program: Program = {
  ...(await fromBuild('library/create-app.ts')),
  ...(await fromBuild('library/routes.ts')),
  ...(await fromBuild('lib/http/router.ts')),
};
const builtHandlers = await Promise.all(
  globSync('handlers', /\.ts$/).map(async (file): Promise<Handler> => (await fromBuild(file)).default),
);

const happy = suite('Every handler answers a Request by itself, with an app in memory and no socket');

const nameOf = ({ route }: Handler) => `${route.method} ${route.path}`;
const signal = new AbortController().signal;

const launch = {
  name: 'launch',
  description: 'Waits for a person.',
  permission: 'ask' as const,
  parameters: { type: 'object' },
  execute: () => 'launched',
};

/** A plugin with a browser bundle, so that there is an asset to serve. */
function pluginDirectory(): string {
  const plugins = tempDirectory('plugins');
  mkdirSync(join(plugins, 'panel/web'), { recursive: true });
  writeFileSync(join(plugins, 'panel/service.plugin.json'), '{"name":"panel","version":"1.0.0","web":"main.js"}');
  writeFileSync(join(plugins, 'panel/index.js'), 'export default { apply() {} };');
  writeFileSync(join(plugins, 'panel/web/main.js'), 'export default () => {};');
  return plugins;
}

function withScene(use: (scene: Scene) => Promise<void>, options: TestAppOptions = {}): Promise<void> {
  const model = scriptedModel();
  const settings = { plugins: { directories: [pluginDirectory()] }, checkpoints: { enabled: 'auto' } };
  return withApp({ models: [model], tools: [launch], settings, ...options }, (service) => use({ ...service, model }));
}

/** Makes the happy call of a handler, from the sources or from dist, and looks at the answer. */
async function callHappily(handler: Handler, scene: Scene): Promise<void> {
  const prepare = happyCalls[nameOf(handler)];
  if (!prepare) return assert.unreachable('the route has no happy call: add one to test/api/happy-calls.ts');
  const { path, status = 200, body } = await prepare(scene);
  const init = { method: handler.route.method, ...(body ? { body: JSON.stringify(body) } : {}) };
  const answer = await within(5_000, invoke(handler, { app: scene.app, signal }, path, init));
  if (answer.status !== status) assert.unreachable(`${path} answered ${answer.status}: ${await answer.text()}`);
  if (answer.headers.get('content-type') === 'text/event-stream') return answer.body?.cancel();
  const text = await answer.text();
  if (status === 204) assert.is(text, '');
  else assert.ok(text.length > 0);
  if (handler.route.path.startsWith('/api/')) assert.is(answer.headers.get('x-content-type-options'), 'nosniff');
}

for (const handler of handlers) happy(nameOf(handler), () => withScene((scene) => callHappily(handler, scene)));

happy('every happy call belongs to a route', () => {
  assert.equal(Object.keys(happyCalls).sort(), handlers.map(nameOf).sort());
});

happy.run();

const built = suite('Every handler of the build does the same with the service of the build');

for (const handler of builtHandlers)
  built(nameOf(handler), () => withScene((scene) => callHappily(handler, scene), { program }));

built.run();

const alone = suite('Every handler keeps to its own path, method, session and callers');

const unknown: Record<string, string> = { id: 'ses_00000000000000000000000000' };
const pathOf = ({ route }: Handler) => route.path.replace(/:(\w+)/g, (_, name) => unknown[name] ?? 'x');

for (const handler of handlers.filter(({ route }) => route.path.startsWith('/api/'))) {
  const ask = (scene: Scene, path: string, method: string = handler.route.method) =>
    invoke(handler, { app: scene.app, signal }, path, { method }).then(errorOf);

  alone(`${nameOf(handler)}: another path is 404, another method 405`, () =>
    withScene(async (scene) => {
      assert.equal((await ask(scene, '/api/elsewhere/at/all')).code, 'not_found');
      const other = handler.route.method === 'DELETE' ? 'POST' : 'DELETE';
      const { status, code } = await ask(scene, pathOf(handler), other);
      assert.equal([status, code], [405, 'method_not_allowed']);
    }),
  );

  alone(`${nameOf(handler)}: OPTIONS is 204, and HEAD has no body`, () =>
    withScene(
      async (scene) => {
        const platform = { app: scene.app, signal };
        const options = await invoke(handler, platform, pathOf(handler), { method: 'OPTIONS' });
        assert.is(options.status, 204);
        assert.match(options.headers.get('access-control-allow-methods') ?? '', handler.route.method);
        if (handler.route.method !== 'GET') return;
        const [get, head] = await Promise.all([
          invoke(handler, platform, pathOf(handler)),
          invoke(handler, platform, pathOf(handler), { method: 'HEAD' }),
        ]);
        assert.equal([head.status, head.body], [get.status, null]);
        assert.is(head.headers.get('content-type'), get.headers.get('content-type'));
        await get.body?.cancel();
      },
      { env: { SERVICE_TOKEN: 'operator-token' } },
    ),
  );

  if (handler.route.access !== 'public')
    alone(`${nameOf(handler)}: 401 without a credential`, () =>
      withScene(
        async (scene) => {
          for (const method of [handler.route.method, 'PUT']) {
            const { status, code } = await ask(scene, pathOf(handler), method);
            assert.equal([status, code], [401, 'unauthorized'], method);
          }
        },
        { env: { SERVICE_TOKEN: 'operator-token' } },
      ),
    );

  if (handler.route.path.startsWith('/api/sessions/:id'))
    alone(`${nameOf(handler)}: 404 for a session that is not there`, () =>
      withScene(async (scene) => {
        const body = (await happyCalls[nameOf(handler)]?.(scene))?.body;
        const init = { method: handler.route.method, ...(body ? { body: JSON.stringify(body) } : {}) };
        const answer = await invoke(handler, { app: scene.app, signal }, pathOf(handler), init);
        const { status, code } = await errorOf(answer);
        assert.equal([status, code, answer.headers.get('cache-control')], [404, 'session_not_found', 'no-store']);
      }),
    );
}

alone.run();
