import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Client, createClient } from '../../lib/client/index.ts';
import type { IssuedToken } from '../../lib/wire/identity.ts';
import { type EventStream, openEventStream } from '../helpers/event-stream.ts';
import { type RunningService, startService } from '../helpers/running-service.ts';
import { startScriptedModel } from '../helpers/scripted-model-server.ts';
import { within } from '../helpers/within.ts';
import { accounts, bearer, bootstrapToken } from './people.ts';

interface Answer<T> {
  status: number;
  body: T;
  headers: Headers;
}

/** Somebody with a token who talks to the service over HTTP. */
function caller(service: RunningService, token: string) {
  const call = async <T = { error: { code: string } }>(method: string, path: string, body?: object) => {
    const init = { method, headers: bearer(token), ...(body ? { body: JSON.stringify(body) } : {}) };
    const answer = await service.fetch(path, init);
    const text = await answer.text();
    return { status: answer.status, body: text ? JSON.parse(text) : undefined, headers: answer.headers } as Answer<T>;
  };
  const watch = (path = '/api/events'): Promise<EventStream> =>
    openEventStream(`${service.url}${path}?token=${encodeURIComponent(token)}`);
  const client: Client = createClient({ baseUrl: service.url, token });
  return { token, call, watch, client };
}

const story = suite('Two teams on one server');

story('three users, a rotated token, a deleted user, a full quota, a restart', async () => {
  const model = await startScriptedModel({
    answer: (_request, number) =>
      number === 1 ? [{ text: 'one moment' }, { hold: 'slow' }, { finish: 'stop' }] : [{ text: `reply ${number}` }],
  });
  const settings = {
    plugins: {
      config: {
        'chat-completions': { baseUrl: model.url, apiKey: 'key-12345', models: ['scripted'] },
        quota: { tenants: { red: { maxSessions: 2, maxConcurrentRuns: 1 } } },
      },
    },
  };
  const service = await startService({ settings, env: accounts });
  const root = caller(service, bootstrapToken);

  // The administrator lets two teams in.
  for (const name of ['Red', 'Blue']) assert.is((await root.call('POST', '/api/tenants', { name })).status, 201);
  const enter = async (name: string, tenantId: string) => {
    const { status, body } = await root.call<IssuedToken>('POST', '/api/users', { name, tenantId });
    assert.is(status, 201);
    return { ...caller(service, body.token), id: body.user.id };
  };
  const [rosa, ruben, bela] = [await enter('Rosa', 'red'), await enter('Ruben', 'red'), await enter('Bela', 'blue')];

  // Each team sees its own, live; the administrator neither.
  const [redStream, blueStream, rootStream] = [await ruben.watch(), await bela.watch(), await root.watch()];
  const { session: first } = await rosa.client.createSession();
  assert.is(first.workspace, realpathSync(join(service.directory, 'data/tenants/red/workspace')));
  await rosa.client.sendAndWait(first.id, 'hello from red');
  await redStream.until('run.finished');
  assert.is((await ruben.call('GET', `/api/sessions/${first.id}`)).status, 200);
  for (const stranger of [bela, root]) {
    const foreign = await stranger.call('GET', `/api/sessions/${first.id}`);
    assert.equal([foreign.status, foreign.body.error.code], [404, 'session_not_found']);
  }

  // Pinning: inside the own workspace only, and nothing is told about what is elsewhere.
  for (const workspace of ['/etc', '/no/such/place', join(service.directory, 'data/tenants/blue/workspace'), '/']) {
    const refused = await rosa.call('POST', '/api/sessions', { workspace });
    assert.equal([refused.status, refused.body.error.code], [403, 'outside_workspace']);
  }

  // A run at the limit; the quota is full for red and of no concern to blue.
  const { session: second } = await ruben.client.createSession();
  assert.is(
    (await ruben.call('POST', `/api/sessions/${second.id}/messages`, { content: 'take your time' })).status,
    202,
  );
  await within(10_000, model.held('slow'));
  const busy = await rosa.call('POST', `/api/sessions/${first.id}/messages`, { content: 'me too' });
  assert.equal([busy.status, busy.body.error.code, busy.headers.get('retry-after')], [429, 'quota_exceeded', '5']);
  assert.is((await rosa.call('POST', '/api/sessions')).status, 429);
  const { session: blue } = await bela.client.createSession();
  await bela.client.sendAndWait(blue.id, 'hello from blue');
  const { body: quotas } = await root.call<{ tenants: { tenantId: string; sessions: number; running: number }[] }>(
    'GET',
    '/api/quotas',
  );
  const red = quotas.tenants.find(({ tenantId }) => tenantId === 'red');
  assert.equal([red?.sessions, red?.running], [2, 1]);
  assert.is((await rosa.call('GET', '/api/quotas')).status, 403);

  // Ruben's token is rotated while his run goes on: his streams end, the run does not.
  const { body: issued } = await root.call<IssuedToken>('POST', `/api/users/${ruben.id}/token`);
  await within(5_000, redStream.ended);
  assert.is((await ruben.call('GET', '/api/sessions')).status, 401);
  const rubenAgain = caller(service, issued.token);
  const resumed = await rubenAgain.watch(`/api/sessions/${second.id}/events`);
  model.release('slow');
  await resumed.until('run.finished');

  // Rosa leaves; her sessions stay with the team.
  const rosaStream = await rosa.watch();
  assert.is((await root.call('DELETE', `/api/users/${rosa.id}`)).status, 204);
  await within(5_000, rosaStream.ended);
  assert.is((await rosa.call('GET', `/api/sessions/${first.id}`)).status, 401);
  assert.is((await rubenAgain.call('DELETE', `/api/sessions/${first.id}`)).status, 204);
  assert.is((await rubenAgain.call('POST', '/api/sessions')).status, 201);

  // What blue saw of all this, and the administrator.
  assert.not.match(blueStream.raw, new RegExp(`${first.id}|${second.id}|red`));
  assert.match(blueStream.raw, blue.id);
  assert.equal(rootStream.envelopes, []);
  await Promise.all([blueStream, rootStream, resumed].map((stream) => stream.close()));

  // All of it holds after kill -9.
  const { body: before } = await root.call<{ users: { name: string; lastUsedAt?: string }[] }>('GET', '/api/users');
  assert.equal(before.users.map(({ name, lastUsedAt }) => [name, lastUsedAt !== undefined]).sort(), [
    ['Admin', true],
    ['Bela', true],
    ['Ruben', true],
  ]);
  await service.kill();
  const again = await service.restart({ settings, env: accounts });
  const [rubenLater, belaLater] = [caller(again, issued.token), caller(again, bela.token)];
  for (const dead of [rosa.token, ruben.token])
    assert.is((await caller(again, dead).call('GET', '/api/sessions')).status, 401);
  const { body: list } = await belaLater.call<{ sessions: { id: string }[] }>('GET', '/api/sessions');
  assert.equal(
    list.sessions.map(({ id }) => id),
    [blue.id],
  );
  assert.is((await rubenLater.call('GET', `/api/sessions/${blue.id}`)).status, 404);
  assert.is((await rubenLater.call('POST', '/api/sessions')).status, 429);
  assert.is(await again.stop(), 0);
  assert.ok(existsSync(join(service.directory, 'data/tenants/red/sessions', `${second.id}.json`)));
  for (const token of [bootstrapToken, issued.token, bela.token])
    assert.not.match(again.output() + service.output(), token);
  await model.close();
});

story.run();
