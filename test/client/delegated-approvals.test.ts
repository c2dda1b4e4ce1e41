import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../lib/client/index.ts';
import { askTool, childrenIn, delegating, teamModel, withTeam } from '../delegation/team.ts';
import { callOf } from '../helpers/scripted-model.ts';
import { eventually, within } from '../helpers/within.ts';

const test = suite('sendAndWait decides what sub-agents ask, too');

test('a tool of a child, and of a child of that, is approved by the given function, once each', async () => {
  const model = teamModel({
    boss: [delegating('lead')],
    lead: [{ toolCalls: [callOf('shell', { command: 'one' })] }, delegating('worker')],
    worker: [{ toolCalls: [callOf('shell', { command: 'two' })] }],
  });
  const options = { models: [model], tools: [askTool('shell')], config: { exposeApprovalTools: true } };
  await withTeam(options, async (app, session) => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:7331', fetch: (url, init) => app.fetch(`${url}`, init) });
    const asked: string[] = [];
    const { status } = await within(
      10_000,
      client.sendAndWait(session.id, 'boss', {
        approve: ({ sessionId, rootSessionId, call }) => {
          assert.is(rootSessionId, session.id);
          assert.is.not(sessionId, session.id);
          asked.push(JSON.stringify(call.arguments));
          return true;
        },
      }),
    );
    assert.is(status, 'completed');
    assert.equal(asked, ['{"command":"one"}', '{"command":"two"}']);
  });
});

test('a session that is a sub-agent itself may be sent to: its own sub-agents are decided for, no other', async () => {
  const model = teamModel({
    boss: [delegating('lead')],
    lead: [],
    again: [delegating('worker')],
    worker: [{ toolCalls: [callOf('shell', { command: 'of a worker' })] }],
    other: [delegating('stranger')],
    stranger: [{ toolCalls: [callOf('shell', { command: 'of a stranger' })] }],
  });
  const options = { models: [model], tools: [askTool('shell')], config: { exposeApprovalTools: true } };
  await withTeam(options, async (app, session) => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:7331', fetch: (url, init) => app.fetch(`${url}`, init) });
    await client.sendAndWait(session.id, 'boss');
    const [lead] = await childrenIn(app);
    await session.send('other');
    await eventually(2_000, () => app.app.approvals.pending().length === 1, 'the question of the stranger');
    const asked: string[] = [];
    const approve = ({ call }: { call: { arguments: object } }) => {
      asked.push(JSON.stringify(call.arguments));
      return true;
    };
    const { status } = await within(10_000, client.sendAndWait(lead?.id ?? '', 'again', { approve }));
    assert.is(status, 'completed');
    assert.equal(asked, ['{"command":"of a worker"}']);
    assert.is(app.app.approvals.pending().length, 1);
  });
});

test.run();
