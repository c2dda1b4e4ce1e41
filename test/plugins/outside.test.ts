import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../lib/base/package-root.ts';
import type { PluginInfo } from '../../lib/wire/plugin.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { only, watch, withApp } from '../helpers/with-app.ts';

const outside = suite('A plugin from outside the repository');

const plain = `
export default {
  apply({ use, options, log }) {
    use('tools').register({
      name: 'greet',
      description: 'Greets somebody.',
      parameters: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
      execute: ({ who }) => (options.word ?? 'Hello') + ' ' + who,
    });
    log.info('ready');
  },
};
`;

const typed = `
import { defineTool, definePlugin, defaulted, field, integer, object, string, SessionGuardError } from 'agent-session-service/plugin';

export default definePlugin({
  options: object({ limit: defaulted(integer(), 3) }),
  apply({ use, options }) {
    use('tools').register(
      defineTool({
        name: 'shout',
        description: 'Says it louder.',
        parameters: { text: field(string(), 'What to say') },
        execute: ({ text }, { session }) => text.toUpperCase() + '!'.repeat(options.limit) + ' in ' + session.title,
      }),
    );
    use('session.guards').register(({ action, request }) => {
      if (action === 'create' && request?.title === 'forbidden') throw new SessionGuardError('not_here', 'Not with this title.');
    });
    use('http.routes').register({ method: 'GET', path: '/api/loud/:word', handler: ({ params }) => ({ body: { loud: params.word?.toUpperCase() } }) });
  },
});
`;

function manifest(folder: string, name: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'service.plugin.json'), JSON.stringify({ name, version: '1.0.0' }));
}

/** A project of somebody else: one plugin as a folder, one as an installed package that was written in TypeScript. */
async function project(): Promise<string> {
  const directory = tempDirectory('outside');
  manifest(join(directory, 'plugins/greeter'), 'greeter');
  writeFileSync(join(directory, 'plugins/greeter/index.js'), plain);
  writeFileSync(join(directory, 'plugins/greeter/package.json'), '{"type":"module"}');

  const packaged = join(directory, 'node_modules/service-plugin-loud');
  manifest(packaged, 'loud');
  writeFileSync(join(packaged, 'package.json'), '{"name":"service-plugin-loud","version":"1.0.0","type":"module"}');
  writeFileSync(join(packaged, 'index.ts'), typed);
  symlinkSync(packageRoot(), join(directory, 'node_modules/agent-session-service'));
  await build({
    entryPoints: [join(packaged, 'index.ts')],
    outfile: join(packaged, 'index.js'),
    format: 'esm',
    logLevel: 'warning',
  });
  return directory;
}

outside(
  'in plain JavaScript as a folder, and in TypeScript as an installed package, does what a bundled one can',
  async () => {
    const directory = await project();
    const model = scriptedModel([
      { toolCalls: [callOf('greet', { who: 'you' }, 'a'), callOf('shout', { text: 'hey' }, 'b')] },
    ]);
    const plugins = {
      directories: ['plugins', 'node_modules'],
      config: { greeter: { word: 'Good day' }, loud: { limit: 2 } },
    };
    await withApp({ directory, models: [model], settings: { plugins } }, async (app) => {
      const listed = (await app.call<{ plugins: PluginInfo[] }>('GET', '/api/plugins', {})).plugins;
      assert.equal(
        listed.filter(({ id }) => ['greeter', 'loud'].includes(id)).map(({ id, state, error }) => [id, state, error]),
        [
          ['greeter', 'active', undefined],
          ['loud', 'active', undefined],
        ],
      );
      const session = await watch(app, (await app.newSession({ title: 'the square' })).id);
      await session.send('go');
      const results = only(await session.until('run.finished'), 'tool.finished').map(({ result }) => result.content);
      assert.equal(results, ['Good day you', 'HEY!! in the square']);
      assert.equal(await app.call('GET', '/api/loud/abc', {}), { loud: 'ABC' });
      const refused = await app.call<{ error: { code: string } }>('POST', '/api/sessions', {
        status: 429,
        body: { title: 'forbidden' },
      });
      assert.is(refused.error.code, 'not_here');
      await session.stream.close();
    });
  },
);

outside('in TypeScript is checked against the types that the package exports', async () => {
  const directory = await project();
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  const check = (content: string): string => {
    writeFileSync(join(directory, 'plugin.ts'), content);
    writeFileSync(
      join(directory, 'tsconfig.json'),
      JSON.stringify({
        extends: join(packageRoot(), 'tsconfig.json'),
        compilerOptions: {
          paths: { 'agent-session-service/plugin': [join(packageRoot(), 'lib/plugin-api/index.ts')] },
          typeRoots: [join(packageRoot(), 'node_modules/@types')],
        },
        include: ['plugin.ts'],
      }),
    );
    try {
      return String(
        execFileSync(resolve(packageRoot(), 'node_modules/.bin/tsc'), ['--noEmit', '-p', directory], { stdio: 'pipe' }),
      );
    } catch (error) {
      return String((error as { stdout: Buffer }).stdout);
    }
  };
  assert.is(check(typed), '');
  assert.match(check(typed.replace('text.toUpperCase()', 'text.toFixed()')), /toFixed/);
});

outside.run();
