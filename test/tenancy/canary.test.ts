import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { handlers } from '../../host/routes.ts';
import { openEventStream } from '../helpers/event-stream.ts';
import { type RunningService, startService } from '../helpers/running-service.ts';
import { startScriptedModel } from '../helpers/scripted-model-server.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';

const canary = (slot: string): string => `canary-${slot}-4711`;
const headers = { authorization: `Bearer ${canary('operator')}` };

const env = {
  MODELS_KEY: canary('named-variable'),
  HOOK_SECRET: canary('expanded-variable'),
  OPENAI_API_KEY: canary('openai-variable'),
};

/** A secret in every slot of the configuration that can hold one. */
function settingsWith(modelUrl: string, directory: string) {
  return {
    server: { token: canary('operator') },
    auth: { bootstrapToken: canary('bootstrap') },
    agent: { workspace: join(directory, 'workspace'), retry: { attempts: 2, baseDelayMs: 1 } },
    checkpoints: { enabled: true },
    plugins: {
      directories: ['plugins'],
      config: {
        'chat-completions': {
          baseUrl: modelUrl,
          apiKey: canary('api-key'),
          headers: { 'x-api-key': canary('header'), 'x-forward': `Bearer ${canary('bearer')}` },
          models: ['scripted'],
        },
        'messages-api': { baseUrl: modelUrl, apiKeyEnv: 'MODELS_KEY', models: ['other'] },
        'core-tools': { shellPermission: 'auto' },
        talkative: { apiKey: canary('option'), nested: { tokens: [canary('list')] } },
        broken: { password: canary('password') },
        absent: {
          args: ['--api-key', canary('argument'), `--token=${canary('inline')}`],
          url: `https://user:${canary('url-password')}@files.example/?key=${canary('url-key')}`,
          secret: `$\{HOOK_SECRET}`,
        },
      },
    },
  };
}

/** Plugins that tell everybody what they were configured with: in a failure, a route, a veto, a prompt. */
const talkative = `export default { apply({ options, use, log }) {
  log.warn('my key is ' + options.apiKey);
  use('http.routes').register({ method: 'GET', path: '/api/talkative', handler() { throw new Error(options.apiKey); } });
  use('session.prompts').register(() => 'Remember ' + options.apiKey);
  use('session.guards').register(({ request }) => {
    if (request?.title === 'veto') throw Object.assign(new Error(options.apiKey), { name: 'SessionGuardError', code: 'no' });
  });
} };`;
const broken = `export default { apply({ options }) { throw new Error('wrong password ' + options.password); } };`;

function writePlugin(directory: string, name: string, code: string): void {
  const folder = join(directory, 'plugins', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'service.plugin.json'), JSON.stringify({ name, version: '1.0.0', main: 'index.mjs' }));
  writeFileSync(join(folder, 'index.mjs'), code);
}

const outputs = suite('No secret of the configuration appears in any output');

outputs('answers, events, logs, transcripts, errors and files on disk', async () => {
  const echo = { status: 500, message: `No key ${canary('api-key')} with ${canary('header')}, ${canary('operator')}` };
  const model = await startScriptedModel({
    replies: [
      [
        {
          toolCall: { name: 'shell', arguments: { command: 'env; cat settings.json; cat settings.json >&2; exit 3' } },
        },
        { toolCall: { name: 'read_file', arguments: { path: 'settings.json' } } },
        { toolCall: { name: 'search_files', arguments: { pattern: '4711' } } },
        {
          toolCall: {
            name: 'edit_file',
            arguments: { path: 'settings.json', old_string: '"server"', new_string: '"Server"' },
          },
        },
      ],
      [echo],
      [{ ...echo, status: 401 }],
    ],
  });
  const directory = tempDirectory('canary');
  writePlugin(directory, 'talkative', talkative);
  writePlugin(directory, 'broken', broken);
  const settings = settingsWith(model.url, directory);
  const service = await startService({ directory, settings, env });
  writeFileSync(join(service.workspace, 'settings.json'), JSON.stringify({ ...settings, env }, undefined, 2));

  const all = await openEventStream(`${service.url}/api/events?token=${canary('operator')}`);
  const created = await service.fetch('/api/sessions', { method: 'POST', headers });
  const { session } = (await created.json()) as { session: { id: string } };
  const path = `/api/sessions/${session.id}`;
  await service.fetch(`${path}/messages`, { method: 'POST', headers, body: '{"content":"What do you know?"}' });
  const seen = await all.until('run.failed', { ms: 15_000 });
  const results = seen.flatMap(({ event }) => (event.type === 'tool.finished' ? [event.result] : []));
  const failure = seen.at(-1)?.event;
  assert.match(failure?.type === 'run.failed' ? failure.error : '', '[redacted]');
  assert.is(results.length, 4);
  for (const result of results) assert.match(JSON.stringify(result), '[redacted]', result.name);
  assert.ok(seen.some(({ event }) => event.type === 'notice' && event.message.includes('[redacted]')));

  const texts = await everyAnswer(service, session.id);
  texts.set('the stream of everything', all.raw);
  await all.close();
  texts.set('what the model was asked', JSON.stringify(model.requests.map(({ body }) => body)));
  assert.is(await within(15_000, service.stop()), 0);
  texts.set('the log', service.output());
  for (const name of readdirSync(join(directory, 'data'), { recursive: true, encoding: 'utf8' }))
    texts.set(`data/${name}`, readIfFile(join(directory, 'data', name)));
  for (const [name, text] of texts) assert.not.match(text, /canary-[a-z-]+-4711/, name);
  assert.match(texts.get('the log') ?? '', 'my key is [redacted]');
  assert.match(texts.get('GET /api/plugins') ?? '', 'wrong password [redacted]');
  assert.match(texts.get('a veto') ?? '', '[redacted]');
  assert.match(texts.get('GET /api/sessions/:id/file') ?? '', '[redacted]');
  await model.close();
});

outputs.run();

/** What each GET route says, and some errors. */
async function everyAnswer(service: RunningService, sessionId: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const read = async (name: string, url: string, init: RequestInit = {}) => {
    const answer = await service.fetch(url, { headers, ...init });
    texts.set(name, `${JSON.stringify([...answer.headers])} ${await answer.text()}`);
    return answer.status;
  };
  const checkpoints = await service.fetch(`/api/sessions/${sessionId}/checkpoints`, { headers });
  const list = (await checkpoints.json()) as { checkpoints: { id: string }[] };
  const checkpointId = list.checkpoints[0]?.id ?? 'none';
  for (const { route } of handlers) {
    if (route.method !== 'GET' || route.path.endsWith('/events')) continue;
    const url = route.path
      .replace(':id', route.path.startsWith('/api/sessions') ? sessionId : 'talkative')
      .replace(':checkpointId', checkpointId)
      .replace(':hash', '0'.repeat(64))
      .replace('*', '');
    await read(`GET ${route.path}`, `${url}${route.path.endsWith('/file') ? '?path=settings.json' : ''}`);
  }
  assert.is(texts.size, handlers.filter(({ route }) => route.method === 'GET').length - 3);
  assert.is(await read('a plugin route that fails', '/api/talkative'), 500);
  assert.is(await read('a veto', '/api/sessions', { method: 'POST', body: '{"title":"veto"}' }), 429);
  assert.is(await read('a wrong token', '/api/sessions', { headers: { authorization: 'Bearer canary' } }), 401);
  assert.is(await read('a token in a query', `/api/no?token=${canary('operator')}`, { headers: {} }), 404);
  assert.is(await read('a wrong model', '/api/sessions', { method: 'POST', body: modelNamed(canary('api-key')) }), 400);
  return texts;
}

function modelNamed(model: string): string {
  return JSON.stringify({ model });
}

function readIfFile(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
