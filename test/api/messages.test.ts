import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServerEventEnvelope } from '../../lib/wire/event.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import { echo } from '../helpers/tools.ts';
import { plainTurn, withApp } from '../helpers/with-app.ts';

const messages = suite('POST /api/sessions/:id/messages');

const typesOf = (envelopes: readonly ServerEventEnvelope[]) => envelopes.map(({ event }) => event.type);

messages('answers 202 with the run, and the run streams in the order of the contract', async () => {
  const model = scriptedModel([{ content: 'Hello there', reasoning: 'hm' }]);
  await withApp({ models: [model] }, async (app) => {
    const session = await app.newSession();
    const stream = await app.events(`/api/sessions/${session.id}/events`);
    const { runId } = await app.call<{ runId: string }>('POST', `/api/sessions/${session.id}/messages`, {
      status: 202,
      body: { content: 'Hi\nmore' },
    });
    const seen = await stream.until('run.finished');
    assert.equal(typesOf(seen), plainTurn);
    const [user, running, started] = seen.map(({ event }) => event);
    assert.ok(
      user?.type === 'message.completed' && user.message.content === 'Hi\nmore' && user.message.role === 'user',
    );
    assert.ok(
      running?.type === 'session.updated' && running.session.status === 'running' && running.session.title === 'Hi',
    );
    assert.equal(started, { type: 'run.started', sessionId: session.id, runId });
    const end = seen.at(-1)?.event;
    assert.equal(end, {
      type: 'run.finished',
      sessionId: session.id,
      runId,
      status: 'completed',
      usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
    });
    const detail = await app.detail(session.id);
    assert.is(detail.status, 'idle');
    assert.equal(
      detail.messages.map(({ role, content, reasoning }) => [role, content, reasoning]),
      [
        ['user', 'Hi\nmore', undefined],
        ['assistant', 'Hello there', 'hm'],
      ],
    );
    assert.is(detail.messageCount, 2);
    assert.equal(detail.usage, { inputTokens: 10, outputTokens: 5, totalTokens: 15 });
    await stream.close();
  });
});

messages('executes the tools a reply asks for and asks the model again', async () => {
  const model = scriptedModel([
    { toolCalls: [callOf('echo', { text: 'a' }, '1'), callOf('echo', { text: 'b' }, '2')] },
    { content: 'both done' },
  ]);
  await withApp({ models: [model], tools: [echo] }, async (app) => {
    const session = await app.newSession();
    const stream = await app.events(`/api/sessions/${session.id}/events`);
    await app.call('POST', `/api/sessions/${session.id}/messages`, { status: 202, body: { content: 'go' } });
    const types = typesOf(await stream.until('run.finished')).slice(3);
    assert.equal(types, [
      'message.started',
      'message.completed',
      'tool.started',
      'tool.finished',
      'message.started',
      'message.completed',
      'tool.started',
      'tool.finished',
      'message.started',
      'message.completed',
      'message.started',
      'message.delta',
      'message.completed',
      'session.updated',
      'run.finished',
    ]);
    assert.equal(model.requests[1]?.messages.slice(1), [
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: '1', name: 'echo', arguments: { text: 'a' } },
          { id: '2', name: 'echo', arguments: { text: 'b' } },
        ],
      },
      { role: 'tool', callId: '1', name: 'echo', content: 'echo: a', isError: false },
      { role: 'tool', callId: '2', name: 'echo', content: 'echo: b', isError: false },
    ]);
    await stream.close();
  });
});

messages('tells the model about unknown tools, wrong arguments and failures instead of ending the run', async () => {
  const broken = { ...echo, name: 'broken', execute: () => Promise.reject(new Error('no luck')) };
  const model = scriptedModel([
    { toolCalls: [callOf('nope', {}, '1'), callOf('echo', { text: 7 }, '2'), callOf('broken', { text: 'x' }, '3')] },
  ]);
  await withApp({ models: [model], tools: [echo, broken] }, async (app) => {
    const session = await app.newSession();
    const stream = await app.events(`/api/sessions/${session.id}/events`);
    await app.call('POST', `/api/sessions/${session.id}/messages`, { status: 202, body: { content: 'go' } });
    const seen = await stream.until('run.finished');
    const results = seen.flatMap(({ event }) => (event.type === 'tool.finished' ? [event.result] : []));
    assert.equal(
      results.map(({ callId, ok }) => [callId, ok]),
      [
        ['1', false],
        ['2', false],
        ['3', false],
      ],
    );
    assert.match(results[0]?.content ?? '', /no tool "nope".*echo, broken/);
    assert.match(results[1]?.content ?? '', /text/);
    assert.is(results[2]?.content, 'no luck');
    const tools = (await app.detail(session.id)).messages.filter((message) => message.role === 'tool');
    assert.equal(
      tools.map((message) => message.isError),
      [true, true, true],
    );
    await stream.close();
  });
});

messages('accepts exactly one of 64 messages at once', async () => {
  const model = scriptedModel([async () => ({ content: 'one' })]);
  await withApp({ models: [model] }, async (app) => {
    const session = await app.newSession();
    const path = `/api/sessions/${session.id}/messages`;
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, n) =>
        app.fetch(path, { method: 'POST', body: JSON.stringify({ content: `m${n}` }) }),
      ),
    );
    const statuses = answers.map((answer) => answer.status).sort();
    assert.equal(statuses, [202, ...Array.from({ length: 63 }, () => 409)]);
    await app.app.runs.settled(session.id);
    assert.is((await app.detail(session.id)).messages.length, 2);
  });
});

messages('accepts the next message as soon as the end of the run was seen', async () => {
  const model = scriptedModel();
  await withApp({ models: [model] }, async (app) => {
    const session = await app.newSession();
    const stream = await app.events(`/api/sessions/${session.id}/events`);
    for (let turn = 0; turn < 20; turn++) {
      await app.call('POST', `/api/sessions/${session.id}/messages`, {
        status: 202,
        body: { content: `turn ${turn}` },
      });
      await stream.until('run.finished');
    }
    assert.is((await app.detail(session.id)).messageCount, 40);
    await stream.close();
  });
});

messages.run();
