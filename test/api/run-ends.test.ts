import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServerEventEnvelope } from '../../lib/wire/event.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import { echo } from '../helpers/tools.ts';
import { withApp } from '../helpers/with-app.ts';

const ends = suite('The end of a run');

const typesOf = (envelopes: readonly ServerEventEnvelope[]) => envelopes.map(({ event }) => event.type);

ends('ends with max_steps and a notice when the model never stops', async () => {
  const model = scriptedModel(
    Array.from({ length: 9 }, (_, n) => ({ toolCalls: [callOf('echo', { text: 'x' }, `c${n}`)] })),
  );
  await withApp(
    { models: [model], tools: [echo], settings: { model: { maxSteps: 3 }, plugins: { directories: [] } } },
    async (app) => {
      const session = await app.newSession();
      const stream = await app.events(`/api/sessions/${session.id}/events`);
      await app.call('POST', `/api/sessions/${session.id}/messages`, { status: 202, body: { content: 'go' } });
      const seen = await stream.until('run.finished');
      assert.equal(typesOf(seen).slice(-3), ['notice', 'session.updated', 'run.finished']);
      const end = seen.at(-1)?.event;
      assert.ok(end?.type === 'run.finished' && end.status === 'max_steps' && end.usage?.totalTokens === 45);
      assert.is((await app.detail(session.id)).status, 'idle');
      await stream.close();
    },
  );
});

ends('fails the run of a session that was made while no model was there, and says so', async () => {
  await withApp({ models: [] }, async (app) => {
    const session = await app.newSession();
    const stream = await app.events(`/api/sessions/${session.id}/events`);
    await app.call('POST', `/api/sessions/${session.id}/messages`, { status: 202, body: { content: 'go' } });
    const end = (await stream.until('run.failed')).at(-1)?.event;
    assert.ok(end?.type === 'run.failed');
    assert.match(end.error, /^This session has no model\..*PATCH/);
    await stream.close();
  });
});

ends('fails the run and marks the session when the provider fails; the next message works', async () => {
  const model = scriptedModel([() => Promise.reject(new Error('quota of the key is used up'))]);
  await withApp({ models: [model] }, async (app) => {
    const session = await app.newSession();
    const stream = await app.events(`/api/sessions/${session.id}/events`);
    await app.call('POST', `/api/sessions/${session.id}/messages`, { status: 202, body: { content: 'go' } });
    const seen = await stream.until('run.failed');
    assert.equal(typesOf(seen).slice(3), ['session.updated', 'run.failed']);
    const end = seen.at(-1)?.event;
    assert.ok(end?.type === 'run.failed' && end.error === 'quota of the key is used up');
    assert.is((await app.detail(session.id)).status, 'error');
    await app.call('POST', `/api/sessions/${session.id}/messages`, { status: 202, body: { content: 'again' } });
    await stream.until('run.finished');
    await stream.close();
  });
});

ends('keeps what was streamed before a failure as a partial message', async () => {
  const model = scriptedModel([
    async (_request, io) => {
      io.onDelta('text', 'half a ');
      throw new Error('connection lost');
    },
  ]);
  await withApp({ models: [model] }, async (app) => {
    const session = await app.newSession();
    const stream = await app.events(`/api/sessions/${session.id}/events`);
    await app.call('POST', `/api/sessions/${session.id}/messages`, { status: 202, body: { content: 'go' } });
    assert.equal(typesOf(await stream.until('run.failed')).slice(3), [
      'message.started',
      'message.delta',
      'message.completed',
      'session.updated',
      'run.failed',
    ]);
    const last = (await app.detail(session.id)).messages.at(-1);
    assert.is(last?.content, 'half a ');
    assert.equal(last?.meta, { partial: true });
    await stream.close();
  });
});

ends('names the missing model in run.failed, and PATCH repairs it', async () => {
  const model = scriptedModel();
  await withApp({ models: [model] }, async (app) => {
    const other = scriptedModel([], { id: 'other' });
    const undo = app.app.models.register(other);
    const session = await app.newSession({ model: 'other' });
    undo();
    const stream = await app.events(`/api/sessions/${session.id}/events`);
    await app.call('POST', `/api/sessions/${session.id}/messages`, { status: 202, body: { content: 'go' } });
    const end = (await stream.until('run.failed')).at(-1)?.event;
    assert.match(end?.type === 'run.failed' ? end.error : '', /"other"/);
    await app.call('PATCH', `/api/sessions/${session.id}`, { body: { model: 'scripted' } });
    await app.call('POST', `/api/sessions/${session.id}/messages`, { status: 202, body: { content: 'go' } });
    await stream.until('run.finished');
    await stream.close();
  });
});

ends.run();
