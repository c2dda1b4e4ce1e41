import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scriptedModel } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { withApp } from '../helpers/with-app.ts';
import { triggerApp } from './trigger-app.ts';

const reference = (name: string): string => `\${${name}}`;
const infoOf = ({ app }: TestApp) => app.plugins.list().find(({ id }) => id === 'triggers');

const refused = suite('A configuration that would not protect or never run is rejected');

for (const [what, triggers, reason] of [
  [
    'a public hook without a secret',
    { webhooks: { a: { prompt: 'p', public: true } } },
    /"a" is public and has no secret/,
  ],
  [
    'a variable that is not set',
    { webhooks: { a: { prompt: 'p', secret: `pre${reference('HOOK_UNSET')}` } } },
    /secret of the webhook "a": the variable HOOK_UNSET is not set/,
  ],
  ['an empty secret', { webhooks: { a: { prompt: 'p', secret: ' ', public: true } } }, /"a" is empty/],
  ['a signature without a secret', { webhooks: { a: { prompt: 'p', signature: { header: 'x-s' } } } }, /no "secret"/],
  [
    'another algorithm',
    { webhooks: { a: { prompt: 'p', secret: 'hush-hush', signature: { header: 'x-s', algorithm: 'md5' } } } },
    /algorithm/,
  ],
  ['a hook without a prompt', { webhooks: { a: { title: 't' } } }, /webhooks\.a\.prompt/],
  ['an id that is no path segment', { webhooks: { 'a/b': { prompt: 'p' } } }, /a\/b/],
  ['an id of dots', { webhooks: { '..': { prompt: 'p' } } }, /\.\./],
  ['a schedule without an id', { schedules: [{ cron: '* * * * *', prompt: 'p' }] }, /schedules\.0\.id/],
  ['a cron that is none', { schedules: [{ id: 's', cron: '5/10 * * * *', prompt: 'p' }] }, /schedule "s".*"5\/10"/],
  ['a minute that no hour has', { schedules: [{ id: 's', cron: '61 * * * *', prompt: 'p' }] }, /"s".* 61 .*[^.]\.$/],
  ['a cron that never fires', { schedules: [{ id: 's', cron: '0 0 30 2 *', prompt: 'p' }] }, /no date/],
  [
    'two schedules of one id',
    { schedules: [1, 2].map(() => ({ id: 's', cron: '* * * * *', prompt: 'p' })) },
    /two schedules with the id "s"/,
  ],
  ['a tick that is no number', { tickMs: 'often' }, /tickMs/],
] as const)
  refused(what, async () => {
    await withApp(triggerApp(triggers, { models: [scriptedModel()] }), async (app) => {
      const info = infoOf(app);
      assert.is(info?.state, 'failed');
      assert.match(info?.error ?? '', reason);
      assert.not.match(JSON.stringify([info, app.lines]), /hush-hush/);
      assert.is((await app.fetch('/api/hooks/a', { method: 'POST' })).status, 404);
    });
  });

refused('a tickMs below 1000 is raised to it, with a warning', async () => {
  for (const tickMs of [999, 0, -5])
    await withApp(triggerApp({ tickMs }), async (app) => {
      assert.is(infoOf(app)?.state, 'active');
      assert.ok(app.lines.some((line) => line.includes('"tickMs" is below 1000')));
    });
});

refused.run();

const tenants = suite('Triggers keep tenants apart');

const administrator = { authorization: 'Bearer administrator-token-1234567890' };
const accounts = {
  settings: { auth: { mode: 'accounts', bootstrapToken: 'administrator-token-1234567890' } },
  models: [scriptedModel()],
};

async function userOf(app: TestApp, tenantId: string): Promise<{ authorization: string }> {
  await app.fetch('/api/tenants', {
    method: 'POST',
    headers: administrator,
    body: JSON.stringify({ id: tenantId, name: tenantId }),
  });
  const { token } = await app.call<{ token: string }>('POST', '/api/users', {
    status: 201,
    headers: administrator,
    body: { name: 'Somebody', tenantId },
  });
  return { authorization: `Bearer ${token}` };
}

tenants('a hook without a secret answers its own tenant and administrators only', async () => {
  const triggers = { webhooks: { ours: { prompt: 'hi', tenant: 'north' } } };
  await withApp(triggerApp(triggers, accounts), async (app) => {
    const [north, south] = [await userOf(app, 'north'), await userOf(app, 'south')];
    const call = (headers: Record<string, string>) => app.fetch('/api/hooks/ours', { method: 'POST', headers });
    assert.is((await call({})).status, 401);
    assert.is((await call(south)).status, 403);
    for (const headers of [north, administrator]) {
      const response = await call(headers);
      assert.is(response.status, 202);
      const { sessionId } = (await response.json()) as { sessionId: string };
      await app.call('GET', `/api/sessions/${sessionId}`, { headers: north });
      await app.call('GET', `/api/sessions/${sessionId}`, { headers: south, status: 404 });
    }
  });
});

tenants('the credential of the caller selects the tenant of the session, unless the hook names one', async () => {
  const webhooks = {
    plain: { prompt: 'hi' },
    secret: { prompt: 'hi', secret: 'hush-hush' },
    open: { prompt: 'hi', secret: 'hush-hush', public: true },
    place: { prompt: 'hi', workspace: '.' },
  };
  await withApp(triggerApp({ webhooks }, accounts), async (app) => {
    const north = { ...(await userOf(app, 'north')), 'x-service-hook-secret': 'hush-hush' };
    const start = async (id: string, headers: Record<string, string>, owner: Record<string, string>) => {
      const { sessionId } = await app.call<{ sessionId: string }>('POST', `/api/hooks/${id}`, { headers, status: 202 });
      await app.call('GET', `/api/sessions/${sessionId}`, { headers: owner });
    };
    for (const id of ['plain', 'secret']) await start(id, north, north);
    await start('plain', administrator, administrator);
    await start('open', { 'x-service-hook-secret': 'hush-hush' }, administrator);
    await start('place', administrator, administrator);
    await app.call('POST', '/api/hooks/place', { headers: north, status: 403 });
  });
});

tenants('only administrators see and start triggers', async () => {
  const triggers = { schedules: [{ id: 'daily', cron: '0 0 * * *', prompt: 'hi' }] };
  await withApp(triggerApp(triggers, accounts), async (app) => {
    const user = await userOf(app, 'north');
    await app.call('GET', '/api/triggers', { headers: user, status: 403 });
    await app.call('POST', '/api/triggers/daily/run', { headers: user, status: 403 });
    await app.call('GET', '/api/triggers', { status: 401 });
    await app.call('POST', '/api/triggers/daily/run', { headers: administrator, status: 202 });
  });
});

tenants.run();

const vetoes = suite('A guard may refuse what a trigger starts');

vetoes('the caller of the hook is told, and no empty session stays', async () => {
  const triggers = { webhooks: { a: { prompt: 'hi' } } };
  for (const limit of [{ maxSessions: 0 }, { maxConcurrentRuns: 0 }]) {
    const options = { models: [scriptedModel()], others: { quota: { default: limit } } };
    await withApp(triggerApp(triggers, options), async (app) => {
      const { error } = await app.call<{ error: { code: string } }>('POST', '/api/hooks/a', { status: 429 });
      assert.is(error.code, 'quota_exceeded');
      const { sessions } = await app.call<{ sessions: unknown[] }>('GET', '/api/sessions', {});
      assert.equal(sessions, []);
    });
  }
});

vetoes.run();
