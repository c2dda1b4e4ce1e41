import { resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTestApp, type TestApp, type TestAppOptions } from '../helpers/test-app.ts';
import { within } from '../helpers/within.ts';
import { pluginFolders, toolPlugin } from './plugin-folders.ts';

const api = suite('What plugins add is reached through the API');

async function withApp(options: TestAppOptions, use: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await createTestApp({ bundled: true, ...options });
  try {
    await within(20_000, use(app));
  } finally {
    await app.close();
  }
}

const demo = { 'demo-model': { enabled: true, delayMs: 0 } };
const examples = resolve('test/plugins/examples');
const settings = (config: object, directories: string[] = []): object => ({
  plugins: { directories, config: { ...demo, ...config } },
});
const send = (content: string): { body: object; status: number } => ({ status: 202, body: { content } });
interface Failure {
  error: { code: string; message: string };
}

/** Sends a message and gives the contents of the transcript once the run has ended. */
async function converse(app: TestApp, content: string): Promise<string[]> {
  const { id } = await app.newSession();
  const stream = await app.events(`/api/sessions/${id}/events`);
  await app.call('POST', `/api/sessions/${id}/messages`, send(content));
  await stream.until('run.finished');
  await stream.close();
  return (await app.detail(id)).messages.map((message) => message.content);
}

api('the demo model works off instructions with real tools', async () => {
  await withApp({ settings: settings({}) }, async (app) => {
    const contents = await converse(app, 'write notes.txt: buy milk');
    assert.match(contents.at(-1) ?? '', /write_file answered/);
    const again = await converse(app, 'remember that milk is bought, then recall milk, then read notes.txt');
    assert.match(
      again.at(-1) ?? '',
      /memory_search answered:[\s\S]*milk is bought[\s\S]*read_file answered:[\s\S]*buy milk/,
    );
  });
});

api('a quota vetoes a session with 429 and a run before anything changes', async () => {
  await withApp({ settings: settings({ quota: { default: { maxSessions: 1, maxTokens: 0 } } }) }, async (app) => {
    const { id } = await app.newSession();
    const refused = await app.call<Failure>('POST', '/api/sessions', { status: 429, body: {} });
    assert.is(refused.error.code, 'quota_exceeded');
    const answer = await app.fetch(`/api/sessions/${id}/messages`, { method: 'POST', body: '{"content":"hi"}' });
    assert.is(answer.status, 429);
    assert.is(answer.headers.get('retry-after'), null);
    assert.equal((await app.detail(id)).messages, []);
    assert.equal(await app.call('GET', '/api/quotas', {}), {
      tenants: [{ tenantId: 'default', sessions: 1, running: 0, tokens: 0, limits: { maxSessions: 1, maxTokens: 0 } }],
    });
  });
});

api('tokens are counted over the lifetime of a tenant', async () => {
  await withApp({ settings: settings({ quota: { tenants: { default: { maxTokens: 10 } } } }) }, async (app) => {
    await converse(app, 'say hello');
    const { id } = await app.newSession();
    const refused = await app.call<Failure>('POST', `/api/sessions/${id}/messages`, {
      status: 429,
      body: { content: 'x' },
    });
    assert.match(refused.error.message, /of 10 tokens/);
  });
});

api('a guard of a stranger answers 429 with its own code and Retry-After', async () => {
  const from = (new Date().getUTCHours() + 12) % 24;
  await withApp({ settings: settings({ 'office-hours': { from, to: from + 1 } }, [examples]) }, async (app) => {
    const { id } = await app.newSession();
    const answer = await app.fetch(`/api/sessions/${id}/messages`, { method: 'POST', body: '{"content":"hi"}' });
    assert.is(answer.status, 429);
    assert.is(((await answer.json()) as Failure).error.code, 'outside_office_hours');
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
  });
});

api(
  'a route of a stranger: public with its own secret, private with the caller, and isolated when it throws',
  async () => {
    const folders = pluginFolders();
    folders.plugin(
      'broken',
      `export default { apply({ use }) {
    use('http.routes').register({ method: 'GET', path: '/api/broken', handler() { throw new Error('inner detail'); } });
  } };`,
    );
    folders.plugin(
      'greedy',
      `export default { apply({ use }) {
    use('http.routes').register({ method: 'GET', path: '/api/sessions', handler: () => ({}) });
  } };`,
    );
    const directories = [examples, `${folders.root}/plugins`];
    await withApp({ settings: settings({ deployments: { secret: '0123456789abcdef' } }, directories) }, async (app) => {
      const body = { version: '2' };
      await app.call('POST', '/api/deployments/a%2Fb', { status: 401, body });
      const headers = { 'x-deploy-secret': '0123456789abcdef' };
      await app.call('POST', '/api/deployments/a%2Fb', { status: 201, body, headers });
      const list = await app.call<{ deployments: object }>('GET', '/api/deployments', {});
      assert.equal(Object.keys(list.deployments), ['a/b']);
      const broken = await app.call<Failure>('GET', '/api/broken', { status: 500 });
      assert.is(broken.error.code, 'plugin_route_failed');
      assert.not.match(broken.error.message, /inner detail/);
      const { plugins } = await app.call<{ plugins: { id: string; state: string; error?: string }[] }>(
        'GET',
        '/api/plugins',
        {},
      );
      const greedy = plugins.find(({ id }) => id === 'greedy');
      assert.is(greedy?.state, 'failed');
      assert.match(greedy?.error ?? '', /\/api\/sessions/);
      await app.call('GET', '/api/sessions', {});
    });
    await folders.close();
  },
);

api('prompts of plugins follow agent.systemPrompt, and skills and context are among them', async () => {
  const folders = pluginFolders();
  folders.plugin(
    'listener',
    `export default { apply({ use }) { use('models').register({
    info: { id: 'listener', provider: 'test', supportsTools: true },
    complete: async ({ system }) => ({ content: system, toolCalls: [], finishReason: 'stop' }),
  }); } };`,
  );
  const directories = [examples, `${folders.root}/plugins`];
  const config = { 'house-rules': { rules: ['Be brief.'] }, 'office-hours': { from: 0, to: 24 } };
  await withApp({ settings: { ...settings(config, directories), model: { default: 'listener' } } }, async (app) => {
    await app.call('POST', '/api/sessions', { status: 201, body: { model: 'demo' } });
    const { id } = await app.newSession({ model: 'demo' });
    const stream = await app.events(`/api/sessions/${id}/events`);
    await app.call('POST', `/api/sessions/${id}/messages`, send('write AGENTS.md: Use tabs.'));
    await stream.until('run.finished');
    await app.call('POST', `/api/sessions/${id}/messages`, send('write skills/knit/SKILL.md: How to knit'));
    await stream.until('run.finished');
    await stream.close();
    const system = (await converse(app, 'hi')).at(-1) ?? '';
    for (const part of ['- Be brief.', 'Use tabs.', '- knit: How to knit']) assert.ok(system.includes(part), part);
  });
  await folders.close();
});

api('a plugin that fails leaves a service that works', async () => {
  const folders = pluginFolders();
  folders.plugin('fails', `export default { apply() { throw new Error('no'); } };`);
  folders.plugin('works', toolPlugin('works', 'it works'));
  await withApp({ settings: settings({}, [`${folders.root}/plugins`]) }, async (app) => {
    assert.match((await converse(app, 'call works')).at(-1) ?? '', /it works/);
    const health = await app.call<{ plugins: number }>('GET', '/api/health', {});
    const { plugins } = await app.call<{ plugins: { state: string }[] }>('GET', '/api/plugins', {});
    assert.is(health.plugins, plugins.filter(({ state }) => state === 'active').length);
    assert.is(plugins.filter(({ state }) => state === 'failed').length, 1);
  });
  await folders.close();
});
api.run();
