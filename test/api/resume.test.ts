import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../lib/base/clock.ts';
import { createFileStore } from '../../lib/store/file-store.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import type { Tool } from '../../lib/tools/tool.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { createTestApp } from '../helpers/test-app.ts';
import { only, types, watch, withApp } from '../helpers/with-app.ts';

const resume = suite('POST /api/sessions/:id/resume');

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

function storeIn(directory: string): SessionStore {
  return createFileStore({ directory: join(directory, 'data'), durability: 'full', clock: systemClock, log: silent });
}

const hang: Tool = {
  name: 'hang',
  description: 'Hangs.',
  parameters: { type: 'object' },
  execute: (_args, { notify }) => {
    notify('hanging');
    return new Promise(() => undefined);
  },
};

/** A service that stopped in the middle of a tool call, on disk. */
async function interrupted(): Promise<{ directory: string; id: string; after: number }> {
  const directory = tempDirectory('resume');
  const model = scriptedModel([{ content: 'working', toolCalls: [callOf('hang', {}, 'a'), callOf('hang', {}, 'b')] }]);
  const app = await createTestApp({ directory, store: storeIn(directory), models: [model], tools: [hang] });
  const session = await watch(app, (await app.newSession()).id);
  await session.send('go');
  await session.until('notice');
  const after = session.stream.envelopes.at(-1)?.seq ?? 0;
  await app.close();
  return { directory, id: session.id, after };
}

resume('continues after a stop: calls without a result get an error result and are not executed again', async () => {
  const { directory, id, after } = await interrupted();
  const executed: string[] = [];
  const model = scriptedModel([{ content: 'verified' }]);
  const tool: Tool = { ...hang, execute: ({ what }) => `ran ${executed.push(String(what))}` };
  await withApp({ directory, store: storeIn(directory), models: [model], tools: [tool] }, async (app) => {
    assert.is((await app.detail(id)).status, 'interrupted');
    const session = await watch(app, id);
    const { runId } = await app.call<{ runId: string }>('POST', `${session.path}/resume`, { status: 202 });
    const seen = await session.until('run.finished');
    assert.ok((session.stream.envelopes[0]?.seq ?? 0) > after, 'seq goes on above that of the earlier process');
    assert.equal(types(seen).slice(0, 4), ['message.started', 'message.completed', 'session.updated', 'run.started']);
    assert.is(only(seen, 'run.started')[0]?.runId, runId);
    assert.equal(executed, []);
    const sent = model.requests[0]?.messages ?? [];
    assert.equal(
      sent.map((message) => (message.role === 'tool' ? [message.callId, message.isError] : message.role)),
      ['user', 'assistant', ['a', true], ['b', true]],
    );
    assert.match(model.requests[0]?.system ?? '', /[Vv]erify the state of the workspace/);
    assert.is((await app.detail(id)).status, 'idle');
    await app.call('POST', `${session.path}/resume`, { status: 409 });
    await session.stream.close();
  });
});

resume('is not the only way on: a plain message repairs the transcript the same way', async () => {
  const { directory, id } = await interrupted();
  const model = scriptedModel([{ content: 'ok' }]);
  await withApp({ directory, store: storeIn(directory), models: [model], tools: [hang] }, async (app) => {
    const session = await watch(app, id);
    await session.send('never mind');
    await session.until('run.finished');
    const sent = model.requests[0]?.messages ?? [];
    assert.equal(
      sent.map((message) => message.role),
      ['user', 'assistant', 'tool', 'tool', 'user'],
    );
    assert.not.match(model.requests[0]?.system ?? '', /[Vv]erify the state of the workspace/);
    await session.stream.close();
  });
});

resume('says of a call that waited for approval at a stop that it was not executed', async () => {
  const directory = tempDirectory('waiting');
  const model = scriptedModel([{ content: '', toolCalls: [callOf('hang', {}, 'a')] }]);
  const asking: Tool = { ...hang, permission: 'ask' };
  const app = await createTestApp({ directory, store: storeIn(directory), models: [model], tools: [asking] });
  const session = await watch(app, (await app.newSession()).id);
  await session.send('go');
  await session.until('approval.requested');
  await app.close();
  await withApp({ directory, store: storeIn(directory), models: [scriptedModel()], tools: [asking] }, async (next) => {
    const { status, messages } = await next.detail(session.id);
    assert.is(status, 'interrupted');
    assert.match(messages.at(-1)?.content ?? '', /^Not executed: the service stopped/);
  });
});

resume('works after a failed run, and a guard can veto it without a trace', async () => {
  const model = scriptedModel([() => Promise.reject(new Error('down')), { content: 'up again' }]);
  await withApp({ models: [model], clock: createFakeClock() }, async (app) => {
    const session = await watch(app, (await app.newSession()).id);
    await session.send('go');
    await session.until('run.failed');
    const undo = app.app.guards.register(() => {
      throw Object.assign(new Error('Not today.'), {
        name: 'SessionGuardError',
        code: 'closed',
        retryAfterSeconds: 12.2,
      });
    });
    const before = await app.detail(session.id);
    const response = await app.fetch(`${session.path}/resume`, { method: 'POST' });
    assert.equal([response.status, response.headers.get('retry-after')], [429, '13']);
    assert.equal(await response.json(), { error: { code: 'closed', message: 'Not today.' } });
    assert.equal({ ...(await app.detail(session.id)), lastSeq: 0 }, { ...before, lastSeq: 0 });
    undo();
    await app.call('POST', `${session.path}/resume`, { status: 202 });
    await session.until('run.finished');
    await session.stream.close();
  });
});

resume('keeps the model of a session across restarts', async () => {
  const directory = tempDirectory('model');
  const first = await createTestApp({
    directory,
    store: storeIn(directory),
    models: [scriptedModel(), scriptedModel([], { id: 'second' })],
  });
  const { id } = await first.newSession({ model: 'second' });
  await first.close();
  await withApp({ directory, store: storeIn(directory), models: [scriptedModel()] }, async (app) => {
    assert.is((await app.detail(id)).model, 'second');
  });
});

resume.run();
