import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionDetail } from '../../lib/wire/session.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { withApp } from '../helpers/with-app.ts';
import { accounts, type Person, person, sessionOf } from './people.ts';

const together = 64;

/** A service with the limits for tenant `a`; tenant `b` has none. */
function limited(limits: object, use: (app: TestApp, ada: Person, bob: Person) => Promise<void>): Promise<void> {
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const model = scriptedModel(
    Array.from({ length: 2 * together }, () => async () => {
      await gate;
      return { content: 'done' };
    }),
  );
  const settings = { plugins: { directories: [], allow: ['quota'], config: { quota: { tenants: { a: limits } } } } };
  return withApp({ env: accounts, bundled: true, settings, models: [model] }, async (app) => {
    const ada = await person(app, { name: 'Ada', tenantId: 'a' });
    const bob = await person(app, { name: 'Bob', tenantId: 'b' });
    await use(app, ada, bob).finally(release);
  });
}

/** Sends them all in one go; the statuses with how often each came. */
async function race(requests: (() => Promise<Response>)[]): Promise<Record<string, number>> {
  const answers = await Promise.all(requests.map((send) => send()));
  const counts: Record<string, number> = {};
  for (const answer of answers) {
    const { error } = (await answer.json()) as { error?: { code: string } };
    const key = `${answer.status}${error ? ` ${error.code}` : ''}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

const post = (app: TestApp, path: string, { headers }: Person, body = '{"content":"hi"}') => {
  return () => app.fetch(path, { method: 'POST', headers, body });
};

const races = suite(`Of ${together} requests at once, a limit of one lets exactly one pass`);

races('maxSessions: one session is there, and the others left nothing', () =>
  limited({ maxSessions: 1 }, async (app, ada, bob) => {
    const create = post(app, '/api/sessions', ada, '{}');
    assert.equal(await race(Array.from({ length: together }, () => create)), {
      201: 1,
      '429 quota_exceeded': together - 1,
    });
    const { sessions } = await app.call<{ sessions: unknown[] }>('GET', '/api/sessions', ada);
    assert.is(sessions.length, 1);
    assert.equal(await race([post(app, '/api/sessions', bob, '{}'), post(app, '/api/sessions', bob, '{}')]), {
      201: 2,
    });
  }),
);

for (const limits of [{ maxConcurrentRuns: 1 }, { maxTokens: 1 }])
  races(`${Object.keys(limits)}: one run starts, and a veto leaves no message, title, status or event`, () =>
    limited(limits, async (app, ada, bob) => {
      const sessions: SessionDetail[] = [];
      for (let count = 0; count < together; count++) sessions.push(await sessionOf(app, ada));
      const seq = app.app.events.lastSeq;
      const send = ({ id }: SessionDetail) => post(app, `/api/sessions/${id}/messages`, ada);
      assert.equal(await race(sessions.map(send)), { 202: 1, '429 quota_exceeded': together - 1 });
      const after = await Promise.all(
        sessions.map(({ id }) => app.call<{ session: SessionDetail }>('GET', `/api/sessions/${id}`, ada)),
      );
      const touched = after.filter(({ session }) => session.messages.length > 0);
      assert.is(touched.length, 1);
      for (const { session } of after) {
        if (session.id === touched[0]?.session.id) continue;
        assert.equal([session.status, session.title, session.messageCount], ['idle', 'New session', 0]);
        assert.is(session.updatedAt, session.createdAt);
      }
      const replay = await app.events(`/api/events?lastEventId=${seq}`, ada.headers);
      await replay.until('run.started');
      const named = new Set(replay.envelopes.map(({ event }) => ('sessionId' in event ? event.sessionId : '')));
      assert.equal([...named], [touched[0]?.session.id]);
      await replay.close();
      const other = await sessionOf(app, bob);
      assert.equal(await race([post(app, `/api/sessions/${other.id}/messages`, bob)]), { 202: 1 });
    }),
  );

races('to one session without limits: one run, the others find it busy', () =>
  limited({}, async (app, ada) => {
    const { id } = await sessionOf(app, ada);
    const send = post(app, `/api/sessions/${id}/messages`, ada);
    assert.equal(await race(Array.from({ length: together }, () => send)), {
      202: 1,
      '409 session_busy': together - 1,
    });
  }),
);

races('resume: the veto leaves unanswered calls as they are', () =>
  limited({ maxConcurrentRuns: 1 }, async (app, ada) => {
    const read = async (id: string) =>
      (await app.call<{ session: SessionDetail }>('GET', `/api/sessions/${id}`, ada)).session;
    const [busy, failed] = [await sessionOf(app, ada), await sessionOf(app, ada)];
    const session = app.app.sessions.find('a', failed.id);
    const call = { id: 'call-1', name: 'shell', arguments: {} };
    await session?.commit({
      kind: 'appended',
      messages: [{ id: 'msg_1', role: 'assistant', content: '', toolCalls: [call], createdAt: failed.createdAt }],
      fields: { status: 'interrupted' },
    });
    const { messages, status, updatedAt } = await read(failed.id);
    assert.is((await post(app, `/api/sessions/${busy.id}/messages`, ada)()).status, 202);
    const refused = await post(app, `/api/sessions/${failed.id}/resume`, ada)();
    assert.is(refused.status, 429);
    assert.is(refused.headers.get('retry-after'), '5');
    const after = await read(failed.id);
    assert.equal([after.messages, after.status, after.updatedAt], [messages, status, updatedAt]);
  }),
);

races.run();
