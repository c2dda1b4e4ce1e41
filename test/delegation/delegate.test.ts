import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ModelRequest } from '../../lib/models/model.ts';
import { callOf } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { only, type TestSession } from '../helpers/with-app.ts';
import { askTool, autoTool, childrenIn, delegating, delegatingMany, teamModel, withTeam } from './team.ts';

const delegate = suite('delegate hands a task to a child session and returns its last words');

/** Sends "boss" and gives the result of the delegating call. */
async function resultOf(session: TestSession) {
  await session.send('boss');
  const [finished] = only(await session.until('run.finished'), 'tool.finished');
  if (!finished) throw new Error('no tool was called');
  return finished.result;
}

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

delegate.run();

const roles = suite('Roles decide over prompt, tools and model of a child');

async function childToolsOf(app: TestApp, session: TestSession, requests: readonly ModelRequest[]) {
  await resultOf(session);
  const [child] = await childrenIn(app);
  const tools = requests[1]?.tools.map(({ name }) => name) ?? [];
  return { child: await app.detail(child?.id ?? ''), tools };
}

const named = [autoTool('read_file'), autoTool('write_file'), askTool('shell')];

roles('general has every tool but those that wait for approval', async () => {
  const model = teamModel({ boss: [delegating('worker')] });
  await withTeam({ models: [model], tools: named }, async (app, session) => {
    const { tools } = await childToolsOf(app, session, model.requests);
    assert.equal(tools, ['delegate', 'delegate_many', 'read_file', 'write_file']);
  });
});

roles('exposeApprovalTools adds them', async () => {
  const model = teamModel({ boss: [delegating('worker')] });
  await withTeam({ models: [model], tools: named, config: { exposeApprovalTools: true } }, async (app, session) => {
    const { tools } = await childToolsOf(app, session, model.requests);
    assert.ok(tools.includes('shell'));
  });
});

roles('a reviewer can look and not touch', async () => {
  const model = teamModel({
    boss: [delegating('worker', { role: 'reviewer' })],
    worker: [{ toolCalls: [callOf('write_file')] }],
  });
  await withTeam({ models: [model], tools: named }, async (app, session) => {
    const { tools, child } = await childToolsOf(app, session, model.requests);
    assert.equal(tools, ['read_file']);
    assert.match(child.messages[2]?.content ?? '', /There is no tool "write_file". There are: read_file./);
  });
});

roles('a configured role brings its prompt, tools and model, and may replace a built-in one', async () => {
  const other = teamModel({}, 'other');
  const model = teamModel({ boss: [delegating('worker', { role: 'poet' })] });
  const config = {
    roles: { poet: { prompt: 'Rhyme.', tools: ['read_file'], model: 'other' }, general: { prompt: 'G' } },
  };
  await withTeam({ models: [model, other], tools: named, config }, async (app, session) => {
    await resultOf(session);
    const [child] = await childrenIn(app);
    assert.is(child?.model, 'other');
    assert.is(child?.role, 'poet');
    assert.equal(
      other.requests[0]?.tools.map(({ name }) => name),
      ['read_file'],
    );
    assert.match(other.requests[0]?.system ?? '', /Rhyme\.$/);
    const description = model.requests[0]?.tools.find(({ name }) => name === 'delegate')?.description ?? '';
    assert.match(description, /- general: G\n- researcher: .*\n- reviewer: .*\n- implementer: .*\n- poet: Rhyme\./);
  });
});

roles('a restricted child that may delegate gives no more than it has', async () => {
  const model = teamModel({ boss: [delegating('lead', { role: 'lead' })], lead: [delegating('worker')] });
  const config = { roles: { lead: { prompt: 'Lead.', tools: ['delegate', 'read_file'] } } };
  await withTeam({ models: [model], tools: named, config }, async (_app, session) => {
    await resultOf(session);
    const worker = model.requests.find(({ messages }) => messages[0]?.content === 'worker');
    assert.equal(
      worker?.tools.map(({ name }) => name),
      ['read_file'],
    );
  });
});

roles('an unknown role is refused before anything starts', async () => {
  const model = teamModel({ boss: [delegating('worker', { role: 'wizard' })] });
  await withTeam({ models: [model] }, async (app, session) => {
    const result = await resultOf(session);
    assert.is(result.ok, false);
    assert.match(result.content, /role/);
    assert.equal(await childrenIn(app), []);
  });
});

for (const config of [{ maxDepth: -1 }, { maxConcurrent: 0.5 }, { roles: { poet: { tools: [] } } }, { maxFanOut: 0 }])
  roles(`the options ${JSON.stringify(config)} fail at plugin load`, async () => {
    await withTeam({ models: [teamModel({})], config }, async ({ app }) => {
      assert.is(app.plugins.list().find(({ id }) => id === 'sub-agents')?.state, 'failed');
    });
  });

roles.run();

const many = suite('delegate_many runs tasks at the same time and returns their results in their order');

many('results stand in the order of the tasks, whoever is done first', async () => {
  const slow = () =>
    new Promise<{ content: string }>((resolve) => setTimeout(() => resolve({ content: 'slow one' }), 30));
  const model = teamModel({
    boss: [delegatingMany(['slow', { task: 'fast', title: 'Quick', role: 'reviewer' }])],
    slow: [slow],
    fast: [{ content: 'fast one' }],
  });
  await withTeam({ models: [model] }, async (_app, session) => {
    const { ok, content } = await resultOf(session);
    assert.is(ok, true);
    assert.is(content, '## 1. slow (general, completed)\n\nslow one\n\n## 2. Quick (reviewer, completed)\n\nfast one');
  });
});

many('more tasks than maxFanOut start nothing', async () => {
  const model = teamModel({ boss: [delegatingMany(['a', 'b', 'c', 'd', 'e', 'f', 'g'])] });
  await withTeam({ models: [model] }, async (app, session) => {
    const { ok, content } = await resultOf(session);
    assert.is(ok, false);
    assert.match(content, /tasks/);
    assert.equal(await childrenIn(app), []);
  });
});

many('all results together stay below maxBatchResultChars; short ones leave their share to long ones', async () => {
  const model = teamModel({
    boss: [delegatingMany(['long', 'short', 'long'])],
    long: [{ content: 'l'.repeat(9_000) }],
    short: [{ content: 'brief' }],
  });
  await withTeam({ models: [model], config: { maxBatchResultChars: 2_000 } }, async (_app, session) => {
    const { content } = await resultOf(session);
    assert.ok(content.length <= 2_000 && content.length > 1_900, `${content.length}`);
    assert.match(content, /\n\nbrief\n\n/);
    assert.is(content.match(/cut at 9\d\d of 9000 characters/g)?.length, 2);
  });
});

many('a failure is reported with its task and fails nothing else', async () => {
  const model = teamModel({
    boss: [delegatingMany(['bad', 'good'])],
    bad: [() => Promise.reject(new Error('no'))],
  });
  await withTeam({ models: [model] }, async (app, session) => {
    const { ok, content } = await resultOf(session);
    assert.is(ok, true);
    assert.is(
      content,
      '## 1. bad (general, failed)\n\nIt failed: no\n\n## 2. good (general, completed)\n\ngood is done',
    );
    assert.is((await app.detail(session.id)).status, 'idle');
  });
});

many('a quota veto is reported per task and leaves no empty session behind', async () => {
  const model = teamModel({ boss: [delegatingMany(['one', 'two', 'three'])] });
  for (const [limit, statuses] of [
    [{ maxSessions: 2 }, ['completed', 'refused', 'refused']],
    [{ maxConcurrentRuns: 1 }, ['refused', 'refused', 'refused']],
  ] as const) {
    const others = { quota: { default: limit } };
    await withTeam({ models: [model], config: { maxConcurrent: 1 }, others }, async (app, session) => {
      const { ok, content, data } = await resultOf(session);
      const refused = statuses.filter((status) => status === 'refused').length;
      assert.is(ok, true);
      assert.is(content.match(/It could not be started: /g)?.length, refused);
      assert.equal(
        (data as { children: { status: string }[] }).children.map(({ status }) => status),
        statuses,
      );
      assert.is((await childrenIn(app)).length, 3 - refused);
      assert.is((await app.detail(session.id)).status, 'idle');
    });
  }
});

many.run();
