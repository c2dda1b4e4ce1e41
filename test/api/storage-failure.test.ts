import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nextTurn } from '../../lib/base/next-turn.ts';
import { createSession } from '../../lib/service/create-session.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import { hang } from '../helpers/tools.ts';
import { only, types, withSession } from '../helpers/with-app.ts';
import { eventually } from '../helpers/within.ts';

const failure = suite('While nothing can be stored');

/** A store whose commits fail from the n-th on, until it is repaired. */
function failingStore(): SessionStore & { failFrom(commit: number): void; repair(): void } {
  const store = createMemoryStore();
  let left = Number.POSITIVE_INFINITY;
  return {
    ...store,
    failFrom(commit) {
      left = commit - 1;
    },
    repair() {
      left = Number.POSITIVE_INFINITY;
    },
    commit: (commit) => (left-- > 0 ? store.commit(commit) : Promise.reject(new Error('no space left on device'))),
  };
}

failure('a message is refused with 500 and leaves no trace', async () => {
  const store = failingStore();
  const model = scriptedModel();
  await withSession({ models: [model], store }, async (app, session) => {
    store.failFrom(1);
    const response = await app.fetch(`${session.path}/messages`, { method: 'POST', body: '{"content":"hi"}' });
    assert.is(response.status, 500);
    assert.not.match(await response.text(), /no space/);
    const detail = await app.detail(session.id);
    assert.equal([detail.status, detail.title, detail.messages, detail.messageCount], ['idle', 'New session', [], 0]);
    assert.is(session.stream.envelopes.length, 0);
    store.repair();
    await session.send('hi again');
    assert.equal(types(await session.until('run.finished')).slice(0, 3), [
      'message.completed',
      'session.updated',
      'run.started',
    ]);
    assert.is((await app.detail(session.id)).messageCount, 2);
  });
});

failure('a run whose reply is lost ends as failed, and the session goes on when there is space again', async () => {
  const store = failingStore();
  const model = scriptedModel([{ content: 'lost' }]);
  await withSession({ models: [model], store }, async (app, session) => {
    store.failFrom(2);
    await session.send('hi');
    const seen = await session.until('run.failed');
    assert.match(only(seen, 'run.failed')[0]?.error ?? '', /could not be stored: no space left/);
    assert.equal(types(seen).filter((type) => type === 'message.completed').length, 1);
    const detail = await app.detail(session.id);
    assert.equal([detail.status, detail.messages.length], ['error', 1]);
    store.repair();
    await session.send('again');
    await session.until('run.finished');
    assert.equal(
      (await app.detail(session.id)).messages.map((message) => message.role),
      ['user', 'user', 'assistant'],
    );
  });
});

failure('no tool starts when the reply that asks for it could not be stored', async () => {
  const store = failingStore();
  const ran: string[] = [];
  const tool = {
    name: 'act',
    description: 'Acts.',
    parameters: { type: 'object' },
    execute: () => `ran ${ran.push('x')}`,
  };
  const model = scriptedModel([{ toolCalls: [callOf('act')] }]);
  await withSession({ models: [model], tools: [tool], store }, async (_app, session) => {
    store.failFrom(2);
    await session.send('hi');
    await session.until('run.failed');
    assert.equal(ran, []);
  });
});

failure('creating, renaming and deleting are refused and change nothing', async () => {
  const store = failingStore();
  await withSession({ models: [scriptedModel()], store }, async (app, session) => {
    store.failFrom(1);
    assert.is((await app.fetch('/api/sessions', { method: 'POST' })).status, 500);
    assert.is((await app.fetch(session.path, { method: 'PATCH', body: '{"title":"x"}' })).status, 500);
    assert.is((await app.fetch(session.path, { method: 'DELETE' })).status, 500);
    const { sessions } = await app.call<{ sessions: { id: string; title: string }[] }>('GET', '/api/sessions', {});
    assert.equal(
      sessions.map(({ id, title }) => [id, title]),
      [[session.id, 'New session']],
    );
    store.repair();
    assert.is((await app.fetch(session.path, { method: 'DELETE' })).status, 204);
  });
});

failure(
  'a run that was ended for a deletion that is refused is interrupted, and those who watch are told',
  async () => {
    const store = failingStore();
    const model = scriptedModel([{ toolCalls: [callOf('hang')] }]);
    await withSession({ models: [model], tools: [hang], store }, async (app, session) => {
      await session.send('go');
      await session.until('tool.started');
      store.failFrom(1);
      await app.call('DELETE', session.path, { status: 500 });
      const [updated] = only(await session.until('session.updated'), 'session.updated');
      assert.is(updated?.session.status, 'interrupted');
      assert.is((await app.detail(session.id)).status, 'interrupted');
      store.repair();
      await eventually(2_000, () => app.app.runs.active === 0, 'the end of the run');
      assert.is((await app.fetch(`${session.path}/resume`, { method: 'POST' })).status, 202);
      await session.until('run.finished');
    });
  },
);

failure('a session is deleted with all that work for it, or none of them is', async () => {
  const store = createMemoryStore();
  let fails = false;
  const commit: SessionStore['commit'] = async (change) => {
    if (fails) throw new Error('no space left on device');
    await store.commit(change);
    // A disk that takes one write and no more.
    fails ||= change.change.kind === 'deleted';
  };
  await withSession({ models: [scriptedModel()], store: { ...store, commit } }, async (app, session) => {
    const { workspace } = await app.detail(session.id);
    const create = async (parentId: string): Promise<string> => {
      const parent = { parentId, rootId: session.id, depth: 1, role: 'general' };
      return (await createSession(app.app, { tenantId: 'default', confined: false }, { workspace, parent })).id;
    };
    await create(await create(session.id));
    const { id } = await app.newSession();
    await app.call('DELETE', session.path, { status: 204 });
    await app.call('DELETE', `/api/sessions/${id}`, { status: 500 });
    const { sessions } = await app.call<{ sessions: { id: string }[] }>('GET', '/api/sessions', {});
    assert.equal(
      sessions.map((each) => each.id),
      [id],
    );
  });
});

failure('a sub-agent whose own deletion is refused meanwhile goes with its parent all the same', async () => {
  const store = createMemoryStore();
  let refuse: (() => void) | undefined;
  let childId = '';
  const commit: SessionStore['commit'] = async (change) => {
    if (change.sessionId === childId && change.change.kind === 'deleted' && !refuse)
      await new Promise<never>((_, reject) => {
        refuse = () => reject(new Error('no space left on device'));
      });
    await store.commit(change);
  };
  await withSession({ models: [scriptedModel()], store: { ...store, commit } }, async (app, session) => {
    const { workspace } = await app.detail(session.id);
    const parent = { parentId: session.id, rootId: session.id, depth: 1, role: 'general' };
    const child = await createSession(app.app, { tenantId: 'default', confined: false }, { workspace, parent });
    childId = child.id;
    const all = await app.events('/api/events');
    const ofChild = app.fetch(`/api/sessions/${childId}`, { method: 'DELETE' });
    await eventually(2_000, () => refuse !== undefined, 'the deletion of the child on its way');
    const ofParent = app.fetch(session.path, { method: 'DELETE' });
    await nextTurn();
    refuse?.();
    assert.equal([(await ofChild).status, (await ofParent).status], [500, 204]);
    await all.until((event) => event.type === 'session.deleted' && event.sessionId === session.id);
    const deleted = only(
      all.envelopes.map(({ event }) => event),
      'session.deleted',
    );
    assert.equal(
      deleted.map(({ sessionId }) => sessionId),
      [childId, session.id],
    );
    await all.close();
  });
});

failure.run();
