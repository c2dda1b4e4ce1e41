import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pluginSessions } from '../../lib/service/plugin-sessions.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { withApp } from '../helpers/with-app.ts';
import { within } from '../helpers/within.ts';
import { childrenIn, forever, teamModel } from './team.ts';

const service = suite('The service `sessions` starts work for plugins');

const request = { tenantId: 'default', title: 'Work' };
const models = () => [teamModel({ worker: [forever], bad: [() => Promise.reject(new Error('no paper'))] })];

async function refusalOf(promise: Promise<unknown>): Promise<Error & { code?: string }> {
  return promise.then(
    () => new Error('it was not refused'),
    (error: Error) => error,
  );
}

service('start gives the outcome of the very run it started, however soon that ends', async () => {
  await withApp({ models: models() }, async ({ app, detail }) => {
    const sessions = pluginSessions(app);
    const started = await sessions.start(request, 'quick');
    assert.is((await within(2_000, started.outcome))?.status, 'completed');
    const again = await sessions.send(started.session.id, 'bad');
    const outcome = await within(2_000, again.outcome);
    assert.is(outcome?.status === 'failed' && outcome.error, 'no paper');
    assert.is((await detail(started.session.id)).status, 'error');
  });
});

for (const [reason, status] of [
  [Object.assign(new Error('stop'), { reason: 'stopped' }), 'interrupted'],
  [Object.assign(new Error('stop'), { reason: 'cancelled' }), 'cancelled'],
  [new Error('anything'), 'cancelled'],
] as const)
  service(`a run bound to a signal ends with it: ${status}`, async () => {
    await withApp({ models: models() }, async ({ app, detail }) => {
      const stop = new AbortController();
      const { session, outcome } = await pluginSessions(app).start(request, 'worker', { signal: stop.signal });
      stop.abort(reason);
      assert.is((await within(1_000, outcome))?.status, status);
      assert.is((await detail(session.id)).status, status);
    });
  });

service('a signal that has aborted starts nothing', async () => {
  await withApp({ models: models() }, async ({ app }) => {
    const signal = AbortSignal.abort(new Error('too late'));
    const { message } = await refusalOf(pluginSessions(app).start(request, 'worker', { signal }));
    assert.is(message, 'too late');
    assert.is(app.sessions.size, 0);
  });
});

for (const [what, content, code] of [
  ['without text', ' \n', 'invalid_message'],
  ['over 200,000 characters', 'x'.repeat(200_001), 'message_too_large'],
] as const)
  service(`a message ${what} is refused before a session exists`, async () => {
    await withApp({ models: models() }, async ({ app }) => {
      assert.is((await refusalOf(pluginSessions(app).start(request, content))).code, code);
      assert.is(app.sessions.size, 0);
    });
  });

service('a child that is made while its siblings are being deleted is not made, or goes with the parent', async () => {
  const store = createMemoryStore();
  const commit: SessionStore['commit'] = async (change) => {
    await nextTurn();
    return store.commit(change);
  };
  await withApp({ models: models(), store: { ...store, commit } }, async (app) => {
    const { id } = await app.newSession();
    const sessions = pluginSessions(app.app);
    const child = { ...request, parent: { sessionId: id, role: 'general' } };
    for (let count = 0; count < 20; count++) await sessions.create(child);
    const deleted = app.call('DELETE', `/api/sessions/${id}`, { status: 204 });
    await sessions.create(child).catch(({ code }: { code: string }) => assert.is(code, 'session_not_found'));
    await deleted;
    assert.is(app.app.sessions.size, 0);
  });
});

service('a parent that is gone has no children', async () => {
  await withApp({ models: models() }, async (app) => {
    const { id } = await app.newSession();
    const sessions = pluginSessions(app.app);
    const created = sessions.create({ ...request, parent: { sessionId: id, role: 'general' } });
    await app.call('DELETE', `/api/sessions/${id}`, { status: 204 });
    await created.then(
      () => undefined,
      (error: { code: string }) => assert.is(error.code, 'session_not_found'),
    );
    assert.equal(await childrenIn(app), []);
    assert.is(app.app.sessions.size, 0);
  });
});

service.run();
