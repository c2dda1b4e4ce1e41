import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../lib/base/clock.ts';
import { createFileStore } from '../../lib/store/file-store.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { hang } from '../helpers/tools.ts';
import { plainTurn, type TestSession, types, withApp, withSession } from '../helpers/with-app.ts';
import { eventually } from '../helpers/within.ts';
import { silent } from '../store/file-rig.ts';

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

races('session.deleted is the last event, also when the run was being cancelled', async () => {
  const model = scriptedModel([{ toolCalls: [callOf('hang', {}, 'a'), callOf('hang', {}, 'b')] }]);
  await withSession({ models: [model], tools: [hang] }, async (app, session) => {
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

races('a change whose session is deleted before it is answered says 404, not 500', async () => {
  const directory = tempDirectory('races');
  const files = { directory: join(directory, 'data'), durability: 'full', clock: systemClock, log: silent } as const;
  let path = '';
  await withApp({ directory, store: createFileStore(files), models: [scriptedModel()] }, async (app) => {
    path = `/api/sessions/${(await app.newSession()).id}`;
  });
  // Of an earlier process: the answer has to read the transcript.
  await withApp({ directory, store: createFileStore(files), models: [scriptedModel()] }, async (app) => {
    const change = app.fetch(path, { method: 'PATCH', body: '{"title":"late"}' });
    await turns(1);
    const deletion = app.fetch(path, { method: 'DELETE' });
    assert.equal([(await change).status, (await deletion).status], [404, 204]);
  });
});

races('who reads that a session is idle and subscribes then meets nothing of the run before', async () => {
  await withHeldEnd(async (app, session, gate) => {
    const reading = app.detail(session.id);
    assert.is(await Promise.race([reading, turns(20)]), 'not yet');
    gate.held = false;
    assert.is((await reading).status, 'idle');
    const later = await app.events(`${session.path}/events`);
    const runId = await session.send('second');
    const seen = (await later.until('run.finished')).map(({ event }) => event);
    assert.equal(types(seen).slice(0, 3), ['message.completed', 'session.updated', 'run.started']);
    const end = seen.at(-1);
    assert.ok(end?.type === 'run.finished' && end.runId === runId);
    await later.close();
  });
});

races('who subscribes after sending, to a run that was over at once, meets all of that run', async () => {
  await withApp({ models: [scriptedModel([{ content: 'quick' }])] }, async (app) => {
    const { id } = await app.newSession();
    const path = `/api/sessions/${id}`;
    await app.call('POST', `${path}/messages`, { status: 202, body: { content: 'hi' } });
    await eventually(
      2_000,
      () => app.app.sessions.findAny(id)?.isSettled === true && app.app.runs.active === 0,
      'the end',
    );
    const stream = await app.events(`${path}/events`);
    const seen = (await stream.until('run.finished')).map(({ event }) => event);
    assert.equal(types(seen), plainTurn);
    await stream.close();
    const second = await app.events(`${path}/events`);
    await app.call('PATCH', path, { body: { title: 'next' } });
    assert.equal(types((await second.until('session.updated')).map(({ event }) => event)), ['session.updated']);
    await second.close();
  });
});

races('a session is read while the store does not answer, also when the end of its run was not told', async () => {
  await withHeldEnd(async (app, session, gate) => {
    assert.is((await app.detail(session.id)).status, 'idle');
    gate.held = false;
    await session.until('run.finished');
  });
});

/** A session whose first run is over, which the store has not said yet. */
async function withHeldEnd(
  use: (app: TestApp, session: TestSession, gate: { held: boolean }) => Promise<void>,
): Promise<void> {
  const { store, gate } = slowStore();
  let answer = (): void => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const model = scriptedModel([() => asked.then(() => ({ content: 'one' }))]);
  await withSession({ store, models: [model] }, async (app, session) => {
    await session.send('first');
    await session.until('run.started');
    gate.held = true;
    answer();
    const status = () => app.app.sessions.findAny(session.id)?.record.status;
    await eventually(2_000, () => status() === 'idle', 'the end of the run');
    await use(app, session, gate).finally(() => {
      gate.held = false;
    });
  });
}

async function turns(count: number): Promise<'not yet'> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
  return 'not yet';
}

/** As a crash in the middle of a tool does. */
function leaveCallOpen({ app }: TestApp, sessionId: string): void {
  const session = app.sessions.findAny(sessionId);
  const message = { id: 'msg_open', role: 'assistant' as const, content: '', createdAt: new Date().toISOString() };
  const toolCalls = [callOf('risky')];
  void session?.commit({ kind: 'appended', messages: [{ ...message, toolCalls }], fields: {} });
}

races.run();
