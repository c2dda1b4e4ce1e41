import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSession } from '../../lib/service/create-session.ts';
import type { EventStream } from '../helpers/event-stream.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { withApp } from '../helpers/with-app.ts';
import { accounts, bearer, bootstrapToken, type Person, person, sessionOf } from './people.ts';

const streams = suite('Event streams never cross tenants');

const echo = { name: 'echo', description: 'Echoes.', parameters: { type: 'object' }, execute: () => 'echoed' };

/** A life with everything that publishes: a run with a tool, a notice, a child session, a change, a deletion. */
async function live(app: TestApp, { headers, user }: Person, watching: EventStream): Promise<string[]> {
  const { id } = await sessionOf(app, { headers, user, token: '' });
  const own = await app.events(`/api/sessions/${id}/events`, headers);
  await app.call('POST', `/api/sessions/${id}/messages`, {
    status: 202,
    headers,
    body: { content: `of ${user.name}` },
  });
  await own.until('run.finished');
  const creator = { tenantId: user.tenantId, confined: false };
  const parent = { parentId: id, rootId: id, depth: 1, role: 'general' };
  const child = await createSession(app.app, creator, { parent });
  app.app.events.publish(
    { tenantId: user.tenantId, sessionId: id },
    { type: 'notice', level: 'info', message: `for ${user.name}`, sessionId: id },
  );
  await app.call('PATCH', `/api/sessions/${id}`, { headers, body: { title: `Of ${user.name}` } });
  // What a deletion meets in the buffer is gone, also for those who have not read it yet.
  await watching.until((event) => event.type === 'session.updated' && event.session.title === `Of ${user.name}`);
  await app.call('DELETE', `/api/sessions/${id}`, { status: 204, headers });
  await own.ended;
  return [id, child.id];
}

streams('live and in replay: runs, children, notices, deletions', () =>
  withApp({ env: accounts, tools: [echo], models: [manyCalls()] }, async (app) => {
    const ada = await person(app, { name: 'Ada', tenantId: 'a' });
    const bob = await person(app, { name: 'Bob', tenantId: 'b' });
    const root = bearer(bootstrapToken);
    const open = (headers: Record<string, string>, query = '') => app.events(`/api/events${query}`, headers);
    const [adaWatches, bobWatches] = [await open(ada.headers), await open(bob.headers)];
    const watching = [adaWatches, bobWatches, await open(root)];
    const [ofAda, ofBob] = [await live(app, ada, adaWatches), await live(app, bob, bobWatches)];
    app.app.events.publish({ adminOnly: true }, { type: 'notice', level: 'warn', message: 'for administrators' });

    const replayed = '?lastEventId=0';
    const all = [
      ...watching,
      await open(ada.headers, replayed),
      await open(bob.headers, replayed),
      await open(root, replayed),
    ];
    const isDeleted = (id: string | undefined) => (event: { type: string; sessionId?: string }) =>
      event.type === 'session.deleted' && event.sessionId === id;
    for (const [position, stream] of all.entries()) {
      const [mine, theirs] = position % 3 === 0 ? [ofAda, ofBob] : [ofBob, ofAda];
      if (position % 3 === 2) {
        await stream.until((event) => event.type === 'notice');
        assert.equal(
          stream.envelopes.map(({ event }) => event),
          [{ type: 'notice', level: 'warn', message: 'for administrators' }],
        );
      } else {
        await stream.until(isDeleted(mine[0]));
        assert.ok(stream.envelopes.some(({ event }) => isDeleted(mine[1])(event)));
        if (position < 3) assert.match(stream.raw, `"parentId":"${mine[0]}"`);
        for (const id of theirs) assert.not.match(stream.raw, id);
        assert.not.match(stream.raw, 'for administrators');
      }
      await stream.close();
    }
  }),
);

streams('a session stream of another tenant is 404, whatever it asks to replay', () =>
  withApp({ env: accounts }, async (app) => {
    const ada = await person(app, { name: 'Ada', tenantId: 'a' });
    const bob = await person(app, { name: 'Bob', tenantId: 'b' });
    const { id } = await sessionOf(app, ada);
    for (const query of ['', '?lastEventId=0', `?token=${bob.token}`])
      await app.call('GET', `/api/sessions/${id}/events${query}`, { status: 404, headers: bob.headers });
    await app.call('GET', `/api/sessions/${id}/events?lastEventId=0&token=${bob.token}`, { status: 404 });
  }),
);

for (const [what, end] of [
  ['rotated', (app: TestApp, id: string, headers: object) => app.fetch(`/api/users/${id}/token`, post(headers))],
  [
    'deleted',
    (app: TestApp, id: string, headers: object) =>
      app.fetch(`/api/users/${id}`, { ...post(headers), method: 'DELETE' }),
  ],
] as const)
  streams(
    `the token of a user who is ${what} is dead with the answer, and so are both streams and that of plugins`,
    () =>
      withApp({ env: accounts }, async (app) => {
        const ada = await person(app, { name: 'Ada', tenantId: 'a' });
        const { id } = await sessionOf(app, ada);
        const paths = ['/api/events', `/api/sessions/${id}/events`, '/api/plugins/events'];
        const open = await Promise.all(paths.map((path) => app.events(path, ada.headers)));
        await end(app, ada.user.id, bearer(bootstrapToken));
        assert.is((await app.fetch('/api/sessions', { headers: ada.headers })).status, 401);
        await Promise.all(open.map((stream) => stream.ended));
      }),
  );

streams.run();

function post(headers: object): RequestInit {
  return { method: 'POST', headers: { ...headers } };
}

function manyCalls() {
  return scriptedModel([
    { toolCalls: [callOf('echo')] },
    { content: 'first' },
    { toolCalls: [callOf('echo')] },
    { content: 'second' },
  ]);
}
