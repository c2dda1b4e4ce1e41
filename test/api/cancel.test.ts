import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ProviderError } from '../../lib/models/model.ts';
import type { Tool } from '../../lib/tools/tool.ts';
import { callOf, type Reply, scriptedModel } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { only, type TestSession, types, withSession } from '../helpers/with-app.ts';

const cancel = suite('POST /api/sessions/:id/cancel');

const forever: Reply = (_request, io) =>
  new Promise((_, reject) => io.signal.addEventListener('abort', () => reject(io.signal.reason)));

async function cancelled(app: TestApp, session: TestSession): Promise<void> {
  assert.equal(await app.call('POST', `${session.path}/cancel`, {}), { cancelled: true });
  assert.equal(await app.call('POST', `${session.path}/cancel`, {}), { cancelled: false });
}

function assertPaired(model: ReturnType<typeof scriptedModel>): void {
  const messages = model.requests.at(-1)?.messages ?? [];
  assert.ok(messages.some((message) => message.role === 'assistant' && message.toolCalls.length > 0));
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const results = messages.slice(index + 1, index + 1 + message.toolCalls.length);
    assert.equal(
      results.map((result) => (result.role === 'tool' ? result.callId : result.role)),
      message.toolCalls.map((call) => call.id),
    );
  }
}

cancel('answers false when nothing runs', async () => {
  await withSession({ models: [scriptedModel()] }, async (app, session) => {
    assert.equal(await app.call('POST', `${session.path}/cancel`, {}), { cancelled: false });
  });
});

cancel('ends a model call; what was streamed is kept and the session accepts the next message', async () => {
  const model = scriptedModel([
    (request, io) => {
      io.onDelta('text', 'partial');
      return typeof forever === 'function' ? forever(request, io) : forever;
    },
  ]);
  await withSession({ models: [model] }, async (app, session) => {
    await session.send('go');
    await session.until('message.delta');
    await cancelled(app, session);
    const seen = await session.until('run.finished');
    assert.equal(types(seen), ['message.completed', 'session.updated', 'run.finished']);
    assert.is(only(seen, 'run.finished')[0]?.status, 'cancelled');
    const detail = await app.detail(session.id);
    assert.is(detail.status, 'cancelled');
    assert.is(detail.messages.at(-1)?.content, 'partial');
    await session.send('again');
    await session.until('run.finished');
  });
});

cancel('ends a model call whose provider ignores the signal, and drops what it says later', async () => {
  let answer: () => void = () => undefined;
  const model = scriptedModel([() => new Promise((resolve) => (answer = () => resolve({ content: 'too late' })))]);
  await withSession({ models: [model] }, async (app, session) => {
    await session.send('go');
    await session.until('run.started');
    await cancelled(app, session);
    await session.until('run.finished');
    answer();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(
      (await app.detail(session.id)).messages.map((message) => message.role),
      ['user'],
    );
  });
});

cancel('ends the wait before a retry', async () => {
  const model = scriptedModel([
    () => Promise.reject(new ProviderError('busy', { retryable: true, retryAfterMs: 8_000 })),
  ]);
  await withSession({ models: [model] }, async (app, session) => {
    await session.send('go');
    await session.until('notice');
    await cancelled(app, session);
    const seen = await session.until('run.finished');
    assert.is(only(seen, 'run.finished')[0]?.status, 'cancelled');
    assert.is(model.requests.length, 1);
  });
});

cancel('ends a tool; the rest of the batch never starts and every call has a result', async () => {
  const started: string[] = [];
  const hang: Tool = {
    name: 'hang',
    description: 'Hangs.',
    parameters: { type: 'object' },
    execute: (_args, context) => {
      started.push(context.callId);
      context.notify('started');
      return new Promise(() => undefined);
    },
  };
  const model = scriptedModel([
    { toolCalls: [callOf('hang', {}, 'a'), callOf('hang', {}, 'b'), callOf('hang', {}, 'c')] },
  ]);
  await withSession({ models: [model], tools: [hang] }, async (app, session) => {
    await session.send('go');
    await session.until('notice');
    await cancelled(app, session);
    const seen = await session.until('run.finished');
    assert.equal(started, ['a']);
    assert.equal(
      only(seen, 'tool.finished').map(({ result }) => [result.callId, result.ok]),
      [
        ['a', false],
        ['b', false],
        ['c', false],
      ],
    );
    const results = (await app.detail(session.id)).messages.filter((message) => message.role === 'tool');
    assert.equal(
      results.map((message) => message.toolCallId),
      ['a', 'b', 'c'],
    );
    await session.send('and now?');
    await session.until('run.finished');
    assertPaired(model);
  });
});

cancel('declines what waits for approval, then ends', async () => {
  const tool: Tool = {
    name: 'ask',
    description: 'Asks.',
    permission: 'ask',
    parameters: { type: 'object' },
    execute: () => 'ran',
  };
  const model = scriptedModel([{ toolCalls: [callOf('ask', {}, 'a')] }]);
  await withSession({ models: [model], tools: [tool] }, async (app, session) => {
    await session.send('go');
    await session.until('approval.requested');
    await cancelled(app, session);
    const seen = await session.until('run.finished');
    assert.equal(types(seen), [
      'approval.resolved',
      'tool.finished',
      'message.started',
      'message.completed',
      'session.updated',
      'run.finished',
    ]);
    assert.is(only(seen, 'approval.resolved')[0]?.approved, false);
    await session.send('again');
    await session.until('run.finished');
    assertPaired(model);
  });
});

cancel('leaves no event of the run behind its end', async () => {
  const tool: Tool = {
    name: 'chatty',
    description: 'Keeps talking.',
    parameters: { type: 'object' },
    execute: (_args, context) =>
      new Promise(() => {
        const timer = setInterval(() => context.notify('still here'), 1);
        setTimeout(() => clearInterval(timer), 60);
      }),
  };
  const model = scriptedModel([{ toolCalls: [callOf('chatty')] }]);
  await withSession({ models: [model], tools: [tool] }, async (app, session) => {
    await session.send('go');
    await session.until('notice');
    await cancelled(app, session);
    await session.until('run.finished');
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.is(session.stream.envelopes.at(-1)?.event.type, 'run.finished');
  });
});

cancel.run();
