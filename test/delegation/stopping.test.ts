import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ProviderError } from '../../lib/models/model.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { callOf, type Reply } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { only, type TestSession } from '../helpers/with-app.ts';
import { eventually, within } from '../helpers/within.ts';
import {
  askTool,
  autoTool,
  childrenIn,
  delegating,
  delegatingMany,
  forever,
  resultOf,
  teamModel,
  withTeam,
} from './team.ts';

const cancel = suite('Cancelling a session ends its children within a second');

const busyProvider: Reply = () => Promise.reject(new ProviderError('busy', { retryable: true, retryAfterMs: 8_000 }));
const endless = (_args: unknown, { signal }: { signal: AbortSignal }) =>
  new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** What the worker is doing when the cancel comes. */
const phases: Record<string, { worker: Reply[]; ready: string }> = {
  'the model call': { worker: [forever], ready: 'waiting' },
  'the wait before a retry': { worker: [busyProvider], ready: 'waiting' },
  'a tool': { worker: [{ toolCalls: [callOf('endless')] }], ready: 'tool' },
  'a tool that ignores its signal': { worker: [{ toolCalls: [callOf('deaf')] }], ready: 'tool' },
  'a pending approval': { worker: [{ toolCalls: [callOf('risky')] }], ready: 'approval' },
};

const tools = [
  autoTool('endless', endless),
  autoTool('deaf', () => new Promise<string>(() => undefined)),
  askTool('risky'),
];

const chains: Record<string, Reply[]> = {
  'delegate at depth 1': [delegating('worker')],
  'delegate at depth 2': [delegating('lead')],
  'delegate_many with tasks that wait for their turn': [
    delegatingMany(['worker', 'worker', 'lead', 'worker', 'worker']),
  ],
};

for (const [phase, { worker, ready }] of Object.entries(phases))
  for (const [chain, boss] of Object.entries(chains))
    cancel(`during ${phase}, ${chain}`, async () => {
      const model = teamModel({ boss, lead: [delegating('worker')], worker });
      await withTeam({ models: [model], tools, config: { exposeApprovalTools: true } }, async (app, session) => {
        await session.send('boss');
        const { runs } = app.app;
        const working = async () =>
          (await childrenIn(app)).some(
            ({ id, title }) => title === 'worker' && runs.activeRun(id)?.activity.phase === ready,
          );
        await eventually(5_000, working, `a worker in ${ready}`);
        await app.call('POST', `${session.path}/cancel`, {});
        const [finished] = only(await within(1_000, session.until('run.finished')), 'run.finished');
        assert.is(finished?.status, 'cancelled');
        await eventually(1_000, () => runs.active === 0, 'the end of all runs');
        const children = await childrenIn(app);
        assert.ok(children.length > 0);
        for (const child of children) assert.is(child.status, 'cancelled', child.title);
        assert.equal(app.app.approvals.pending(), []);
        await assertAnswered(app, [session.id, ...children.map(({ id }) => id)]);
        // What had to wait never began.
        assert.ok(children.length <= 4, `${children.length} children`);
      });
    });

/** Every call of every session has its result. */
async function assertAnswered(app: TestApp, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { messages } = await app.detail(id);
    const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls.map((call) => call.id));
    assert.equal(
      messages.filter(({ role }) => role === 'tool').map(({ toolCallId }) => toolCallId),
      calls,
    );
  }
}

cancel.run();

const others = suite('A child ends with its parent, and alone');

async function childOf(app: TestApp, session: TestSession): Promise<string> {
  await session.send('boss');
  await eventually(5_000, async () => (await childrenIn(app))[0]?.status === 'running');
  return (await childrenIn(app))[0]?.id ?? '';
}

others('a deleted parent takes its children with it', async () => {
  const model = teamModel({
    boss: [delegatingMany(['worker', 'lead'])],
    lead: [delegating('worker')],
    worker: [forever],
  });
  await withTeam({ models: [model] }, async (app, session) => {
    await session.send('boss');
    await eventually(5_000, async () => (await childrenIn(app)).length === 3);
    await app.call('DELETE', session.path, { status: 204 });
    assert.equal(await childrenIn(app), []);
    await eventually(1_000, () => app.app.runs.active === 0);
    assert.is(app.app.sessions.size, 0);
  });
});

others('a cancelled child is an error result, and its parent goes on', async () => {
  const model = teamModel({ boss: [delegating('worker'), { content: 'without it then' }], worker: [forever] });
  await withTeam({ models: [model] }, async (app, session) => {
    const child = await childOf(app, session);
    await app.call('POST', `/api/sessions/${child}/cancel`, {});
    const [finished] = only(await session.until('run.finished'), 'tool.finished');
    assert.is(finished?.result.content, 'A person cancelled it.');
    assert.is(finished?.result.ok, false);
    assert.is((await app.detail(session.id)).messages.at(-1)?.content, 'without it then');
  });
});

others('a deleted child is an error result, and its parent goes on', async () => {
  const model = teamModel({ boss: [delegating('worker')], worker: [forever] });
  await withTeam({ models: [model] }, async (app, session) => {
    const child = await childOf(app, session);
    await app.call('DELETE', `/api/sessions/${child}`, { status: 204 });
    const [finished] = only(await session.until('run.finished'), 'tool.finished');
    assert.is(finished?.result.content, 'Its session was deleted.');
  });
});

others('a child that takes longer than timeoutMs is stopped, its own children too', async () => {
  const model = teamModel({
    boss: [delegating('lead')],
    lead: [{ content: 'on it', ...delegating('worker') }],
    worker: [forever],
  });
  await withTeam({ models: [model], config: { timeoutMs: 100 } }, async (app, session) => {
    const result = await resultOf(session);
    assert.is(result.ok, false);
    assert.is(result.content, 'It was stopped because it took too long.\n\nIts last words:\n\non it');
    for (const child of await childrenIn(app)) assert.is(child.status, 'cancelled');
  });
});

others('an interrupted parent interrupts its children; resuming it does not run them again', async () => {
  const store = createMemoryStore();
  const first = teamModel({
    boss: [delegatingMany(['lead', 'worker'])],
    lead: [delegating('worker')],
    worker: [forever],
  });
  let parent = '';
  let directory = '';
  await withTeam({ models: [first], store }, async (app, session) => {
    await session.send('boss');
    await eventually(5_000, async () => (await childrenIn(app)).length === 3);
    [parent, directory] = [session.id, app.directory];
  });
  const second = teamModel({ boss: [delegating('worker'), { content: 'I see' }] });
  await withTeam({ models: [second], store, directory }, async (app) => {
    const children = await childrenIn(app);
    assert.equal(
      children.map(({ status }) => status),
      ['interrupted', 'interrupted', 'interrupted'],
    );
    await app.call('POST', `/api/sessions/${parent}/resume`, { status: 202 });
    await eventually(5_000, () => app.app.runs.active === 0);
    const { messages } = await app.detail(parent);
    assert.equal(
      messages.map(({ role }) => role),
      ['user', 'assistant', 'tool', 'assistant'],
    );
    assert.match(messages[2]?.content ?? '', /was not executed again/);
    assert.is(messages[2]?.isError, true);
    assert.equal(await childrenIn(app), children);
  });
});

others.run();

const approvals = suite('Approvals of children reach the people who watch the root');

for (const [depth, boss] of [
  [1, delegating('worker', { role: 'implementer' })],
  [2, delegating('lead')],
] as const)
  approvals(`at depth ${depth}: visible with root and role, answerable`, async () => {
    const model = teamModel({
      boss: [boss],
      lead: [delegating('worker', { role: 'implementer' })],
      worker: [{ toolCalls: [callOf('risky')] }],
    });
    await withTeam({ models: [model], tools, config: { exposeApprovalTools: true } }, async (app, session) => {
      const stream = await app.events('/api/events?lastEventId=0');
      await session.send('boss');
      const [{ event } = {}] = (await stream.until('approval.requested')).slice(-1);
      if (event?.type !== 'approval.requested') throw new Error('no approval was requested');
      const { approval } = event;
      assert.is(approval.rootSessionId, session.id);
      assert.is(approval.role, 'implementer');
      const child = (await childrenIn(app)).find(({ id }) => id === approval.sessionId);
      assert.is(child?.depth, depth);
      const listed = await app.call<{ approvals: { id: string }[] }>('GET', '/api/approvals', {});
      assert.equal(
        listed.approvals.map(({ id }) => id),
        [approval.id],
      );
      for (const id of [session.id, approval.sessionId]) assert.equal(await waitingAt(app, id), [approval.id]);
      const decision = { status: 404, body: { approved: true } };
      await app.call('POST', `${session.path}/approvals/${approval.id}`, decision);
      await app.call('POST', `/api/sessions/${child?.id}/approvals/${approval.id}`, { body: { approved: true } });
      await session.until('run.finished');
      const { messages } = await app.detail(child?.id ?? '');
      assert.is(messages[2]?.content, 'ok');
      assert.equal(await waitingAt(app, session.id), []);
      await stream.close();
    });
  });

/** The ids of the `pendingApprovals` of a session's detail. */
async function waitingAt(app: TestApp, id: string): Promise<string[]> {
  type Answer = { session: { pendingApprovals: { id: string }[] } };
  const { session } = await app.call<Answer>('GET', `/api/sessions/${id}`, {});
  return session.pendingApprovals.map((approval) => approval.id);
}

approvals.run();
