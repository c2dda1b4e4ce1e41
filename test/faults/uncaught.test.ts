import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startService } from '../helpers/running-service.ts';
import { startScriptedModel } from '../helpers/scripted-model-server.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually, within } from '../helpers/within.ts';

const post = (body: object): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });

/** Throws in the service's process when it is sent SIGUSR2, from code that is no plugin's. */
function hook(how: 'exception' | 'rejection'): Record<string, string> {
  const file = join(tempDirectory('hook'), 'hook.mjs');
  const act = how === 'exception' ? "throw new Error('out of nowhere')" : "Promise.reject(new Error('out of nowhere'))";
  writeFileSync(file, `process.on('SIGUSR2', () => setTimeout(() => { ${act}; }, 1));`);
  return { NODE_OPTIONS: `--import file://${file}` };
}

const own = suite(
  'An error of the service itself that nobody caught: logged, exit 70, and nothing acknowledged is lost',
);

for (const how of ['exception', 'rejection'] as const)
  own(`an ${how === 'exception' ? 'uncaught exception' : 'unhandled rejection'} during a run`, async () => {
    const model = await startScriptedModel({ replies: [[{ text: 'first' }, { hold: 'middle' }]] });
    const provider = { baseUrl: model.url, apiKey: 'key-12345', models: ['scripted'] };
    const settings = { plugins: { config: { 'chat-completions': provider } } };
    const service = await startService({ settings, env: hook(how) });
    const created = await service.fetch('/api/sessions', post({}));
    const { session } = (await created.json()) as { session: { id: string } };
    const path = `/api/sessions/${session.id}`;
    assert.is((await service.fetch(`${path}/messages`, post({ content: 'Go' }))).status, 202);
    await within(10_000, model.held('middle'));
    assert.is(await service.stop('SIGUSR2'), 70);
    assert.match(service.output(), 'An error that nobody caught ends the service');
    assert.match(service.output(), 'out of nowhere');
    const again = await service.restart({ settings });
    const { session: kept } = (await (await again.fetch(path)).json()) as {
      session: { status: string; messages: { content: string }[] };
    };
    assert.is(kept.status, 'interrupted');
    assert.is(kept.messages[0]?.content, 'Go');
    assert.is(await again.stop(), 0);
    await model.close();
  });

own.run();

const plugins = suite(
  'An error of a plugin that nobody caught: told to the log and GET /api/plugins, and the service goes on',
);

plugins('from a timer, a promise, a tool, a route, a guard and a prompt', async () => {
  const directory = tempDirectory('plugin');
  const folder = join(directory, 'plugins', 'careless');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'service.plugin.json'), '{"name":"careless","version":"1.0.0"}');
  writeFileSync(
    join(folder, 'index.js'),
    `const later = (text) => { setTimeout(() => { throw new Error(text); }, 1); };
     module.exports = { apply({ use }) {
       later('a timer');
       setTimeout(() => { Promise.reject(new Error('a promise')); }, 1);
       use('http.routes').register({ method: 'GET', path: '/api/careless', handler() { later('a route'); return {}; } });
       use('session.guards').register(() => later('a guard'));
       use('session.prompts').register(() => { later('a prompt'); return ''; });
       use('tools').register({ name: 'careless', description: 'Careless.', parameters: { type: 'object' }, execute() { later('a tool'); return 'done'; } });
     } };`,
  );
  const model = await startScriptedModel({
    replies: [[{ toolCall: { name: 'careless', arguments: {} } }], [{ text: 'done' }]],
  });
  const provider = { baseUrl: model.url, apiKey: 'key-12345', models: ['scripted'] };
  const settings = { plugins: { config: { 'chat-completions': provider } } };
  const service = await startService({ directory, settings });
  assert.is((await service.fetch('/api/careless')).status, 200);
  const created = await service.fetch('/api/sessions', post({}));
  const { session } = (await created.json()) as { session: { id: string } };
  await service.fetch(`/api/sessions/${session.id}/messages`, post({ content: 'Go' }));
  for (const what of ['a timer', 'a promise', 'a route', 'a guard', 'a prompt', 'a tool'])
    await eventually(10_000, () => service.output().includes(`"careless" did not catch an error: ${what}`), what);
  const { plugins } = (await (await service.fetch('/api/plugins')).json()) as {
    plugins: { id: string; state: string; error?: string }[];
  };
  const careless = plugins.find(({ id }) => id === 'careless');
  assert.is(careless?.state, 'active');
  assert.match(careless?.error ?? '', 'An error was not caught');
  assert.is(await service.stop(), 0);
  await model.close();
});

plugins.run();
