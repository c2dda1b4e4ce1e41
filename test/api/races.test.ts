import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMemoryStore } from '../../lib/store/memory-store.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { types, withSession } from '../helpers/with-app.ts';
import { eventually } from '../helpers/within.ts';

const races = suite('Requests to one session at the same time');

/** A store whose commits wait while `held` is true, so that what comes in between is decided here. */
function slowStore(): { store: SessionStore; gate: { held: boolean; waiting: number } } {
  const inner = createMemoryStore();
  const gate = { held: false, waiting: 0 };
  const commit: SessionStore['commit'] = async (change) => {
    gate.waiting += 1;
    while (gate.held) await new Promise((resolve) => setImmediate(resolve));
    gate.waiting -= 1;
    await inner.commit(change);
  };
  return { store: { ...inner, commit }, gate };
}

const post = (app: TestApp, path: string, body: object = {}) =>
  app.fetch(path, { method: 'POST', body: JSON.stringify(body) });

const waits = {
  name: 'wait',
  description: 'Waits for ever.',
  parameters: { type: 'object' },
  execute: (_: object, { signal }: { signal: AbortSignal }) =>
    new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
};

races('session.deleted is the last event, also when the run was being cancelled', async () => {
  const model = scriptedModel([{ toolCalls: [callOf('wait', {}, 'a'), callOf('wait', {}, 'b')] }]);
  await withSession({ models: [model], tools: [waits] }, async (app, session) => {
    const all = await app.events('/api/events');
    await session.send('go');
    await session.until('tool.started');
    const cancelling = post(app, `${session.path}/cancel`);
    const deleting = app.fetch(session.path, { method: 'DELETE' });
    assert.is((await cancelling).status, 200);
    assert.is((await deleting).status, 204);
    await all.until('session.deleted');
    await app.app.runs.stopAll();
    await app.newSession();
    assert.equal(types((await all.until('session.updated')).map(({ event }) => event)), ['session.updated']);
    await all.close();
  });
});

for (const [what, request] of [
  ['a rewind', { tail: 'rewind', body: (messageId: string) => ({ messageId }) }],
  ['a repair', { tail: 'repair', body: () => ({}) }],
] as const)
  races(`cancel says false while ${what} is under way, and does not disturb it`, async () => {
    const { store, gate } = slowStore();
    const ask = { name: 'risky', description: 'x', parameters: { type: 'object' }, execute: () => 'done' };
    await withSession({ store, models: [scriptedModel()], tools: [ask] }, async (app, session) => {
      await session.send('first');
      await session.until('run.finished');
      if (what === 'a repair') leaveCallOpen(app, session.id);
      const { messages } = await app.detail(session.id);
      gate.held = true;
      const changing = post(app, `${session.path}/${request.tail}`, request.body(messages[0]?.id ?? ''));
      await eventually(2_000, () => gate.waiting > 0, 'the change on its way');
      assert.equal(await (await post(app, `${session.path}/cancel`)).json(), { cancelled: false });
      gate.held = false;
      assert.is((await changing).status, 200);
      await session.send('next');
    });
  });

races('a session that is deleted while its compaction is stored answers 404, not 500', async () => {
  const { store, gate } = slowStore();
  const model = scriptedModel([{ content: 'one '.repeat(100) }, { content: 'two' }, { content: 'short' }]);
  const settings = { agent: { compaction: { keepRecent: 1 } } };
  await withSession({ store, models: [model], settings }, async (app, session) => {
    for (const text of ['first', 'second']) {
      await session.send(text);
      await session.until('run.finished');
    }
    gate.held = true;
    const compacting = post(app, `${session.path}/compact`);
    await eventually(2_000, () => gate.waiting > 0, 'the usage of the summary on its way');
    const deleting = app.fetch(session.path, { method: 'DELETE' });
    await eventually(2_000, () => app.app.sessions.findAny(session.id) === undefined, 'the deletion');
    gate.held = false;
    assert.is((await deleting).status, 204);
    assert.is((await compacting).status, 404);
  });
});

/** As a crash in the middle of a tool does. */
function leaveCallOpen({ app }: TestApp, sessionId: string): void {
  const session = app.sessions.findAny(sessionId);
  const message = { id: 'msg_open', role: 'assistant' as const, content: '', createdAt: new Date().toISOString() };
  const toolCalls = [callOf('risky')];
  void session?.commit({ kind: 'appended', messages: [{ ...message, toolCalls }], fields: {} });
}

races.run();
