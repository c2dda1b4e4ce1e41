import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callOf } from '../helpers/scripted-model.ts';
import { autoTool, childrenIn, delegating, resultOf, teamModel, withTeam } from './team.ts';

const delegate = suite('delegate hands a task to a child session and returns its last words');

delegate('the child carries parent, depth and role, and works in the same workspace and tenant', async () => {
  const model = teamModel({
    boss: [delegating('worker: look around\nand report', { role: 'researcher' })],
    'worker:': [{ content: 'all quiet' }],
  });
  await withTeam({ models: [model] }, async (app, session) => {
    const result = await resultOf(session);
    assert.is(result.ok, true);
    assert.is(result.content, 'all quiet');
    const [child] = await childrenIn(app);
    const parent = await app.detail(session.id);
    assert.equal(
      { ...child, id: '', createdAt: '', updatedAt: '' },
      {
        id: '',
        title: 'worker: look around',
        createdAt: '',
        updatedAt: '',
        status: 'idle',
        model: 'team',
        messageCount: 2,
        workspace: parent.workspace,
        usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
        parentId: session.id,
        depth: 1,
        role: 'researcher',
      },
    );
    const detail = await app.detail(child?.id ?? '');
    assert.is(detail.parentId, session.id);
    assert.match(detail.systemPrompt ?? '', /You are a sub-agent[\s\S]*Find out what is asked/);
    assert.is(parent.parentId, undefined);
    assert.is('depth' in parent || 'role' in parent, false);
  });
});

delegate('the result names the session and its usage; each token is counted on one session', async () => {
  const model = teamModel({ boss: [delegating('worker', { title: 'Work' })] });
  await withTeam({ models: [model] }, async (app, session) => {
    const { data } = await resultOf(session);
    const [child] = await childrenIn(app);
    const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
    const entry = { title: 'Work', role: 'general', status: 'completed', usage, sessionId: child?.id };
    assert.equal(data, { children: [entry], usage });
    assert.is((await app.detail(session.id)).usage.totalTokens, 30);
    const total = await app.call<{ usage: { totalTokens: number } }>('GET', '/api/usage', {});
    assert.is(total.usage.totalTokens, 45);
  });
});

delegate('a child delegates in turn; at maxDepth the tools are gone', async () => {
  const model = teamModel({ boss: [delegating('lead')], lead: [delegating('worker')] });
  await withTeam({ models: [model] }, async (app, session) => {
    assert.is((await resultOf(session)).content, 'lead is done');
    assert.equal(
      (await childrenIn(app)).map(({ depth, title }) => [depth, title]),
      [
        [1, 'lead'],
        [2, 'worker'],
      ],
    );
    const toolsOf = (word: string) =>
      model.requests.find(({ messages }) => messages[0]?.content === word)?.tools.map(({ name }) => name);
    assert.equal(toolsOf('lead'), ['delegate', 'delegate_many']);
    assert.equal(toolsOf('worker'), []);
  });
});

delegate('a model that calls it anyway at maxDepth is told so', async () => {
  const model = teamModel({ boss: [delegating('lead')], lead: [delegating('worker')] });
  await withTeam({ models: [model], config: { maxDepth: 1 } }, async (app, session) => {
    assert.is((await resultOf(session)).content, 'lead is done');
    const [child, ...others] = await childrenIn(app);
    assert.is(others.length, 0);
    assert.match((await app.detail(child?.id ?? '')).messages[2]?.content ?? '', /There is no tool "delegate"/);
    // A person may talk to the child later, with every tool; the depth is checked all the same.
    const { id = '' } = child ?? {};
    const stream = await app.events(`/api/sessions/${id}/events`);
    await app.call('POST', `/api/sessions/${id}/messages`, { status: 202, body: { content: 'lead' } });
    await stream.until('run.finished');
    await stream.close();
    const contents = (await app.detail(id)).messages.map(({ content }) => content);
    assert.ok(contents.includes("Sub-agents at depth 1 can't delegate any further; do the task yourself."));
  });
});

delegate('a failed child is an error result with its text, and the run goes on', async () => {
  const model = teamModel({
    boss: [delegating('worker'), { content: 'I will do it myself' }],
    worker: [
      { content: 'I found the door', toolCalls: [callOf('peek')] },
      () => Promise.reject(new Error('out of paper')),
    ],
  });
  await withTeam({ models: [model], tools: [autoTool('peek')] }, async (app, session) => {
    const result = await resultOf(session);
    assert.is(result.ok, false);
    assert.is(result.content, 'It failed: out of paper\n\nIts last words:\n\nI found the door');
    assert.is((await app.detail(session.id)).messages.at(-1)?.content, 'I will do it myself');
    assert.is((await childrenIn(app))[0]?.status, 'error');
  });
});

delegate('a child has a step limit of its own', async () => {
  const peek = { content: 'still looking', toolCalls: [callOf('peek')] };
  const model = teamModel({ boss: [delegating('worker')], worker: [peek, peek, peek, peek] });
  const tools = [autoTool('peek')];
  await withTeam({ models: [model], tools, config: { maxSteps: 2 } }, async (_app, session) => {
    const result = await resultOf(session);
    assert.match(result.content, /stopped at its limit of steps[\s\S]*still looking/);
    assert.is(model.requests.length, 4);
  });
});

delegate('a long result is cut and says where the rest is', async () => {
  const model = teamModel({ boss: [delegating('worker')], worker: [{ content: 'x'.repeat(5_000) }] });
  await withTeam({ models: [model], config: { maxResultChars: 300 } }, async (app, session) => {
    const { content } = await resultOf(session);
    assert.is(content.length, 300);
    const [child] = await childrenIn(app);
    assert.ok(content.endsWith(`[... cut at 300 of 5000 characters; the whole is in session ${child?.id}]`));
  });
});

delegate('a limit of a few characters is kept, too', async () => {
  const model = teamModel({ boss: [delegating('worker')], worker: [{ content: 'x'.repeat(5_000) }] });
  await withTeam({ models: [model], config: { maxResultChars: 20 } }, async (_app, session) => {
    assert.is((await resultOf(session)).content, 'x'.repeat(20));
  });
});

delegate.run();
