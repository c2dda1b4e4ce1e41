import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { only, type TestSession, types, watch, withApp, withSession } from '../helpers/with-app.ts';

const approvals = suite('Tools with permission ask');

function askingTool(ran: string[]) {
  return {
    name: 'launch',
    description: 'Launches something.',
    permission: 'ask' as const,
    parameters: { type: 'object', properties: { what: { type: 'string' } } },
    describe: ({ what }: Record<string, unknown>) => `Launch ${what}`,
    execute({ what }: Record<string, unknown>) {
      ran.push(String(what));
      return `launched ${what}`;
    },
  };
}

approvals('wait for a decision and run when it is approved', async () => {
  const ran: string[] = [];
  const model = scriptedModel([{ toolCalls: [callOf('launch', { what: 'probe' }, 'c1')] }]);
  await withSession({ models: [model], tools: [askingTool(ran)] }, async (app, session) => {
    await session.send('go');
    const before = await session.until('approval.requested');
    assert.equal(types(before).slice(-3), ['message.completed', 'tool.started', 'approval.requested']);
    const [requested] = only(before, 'approval.requested');
    assert.ok(requested);
    const { approval } = requested;
    assert.equal(approval.call, { id: 'c1', name: 'launch', arguments: { what: 'probe' } });
    assert.is(approval.reason, 'Launch probe');
    assert.is(approval.rootSessionId, session.id);
    assert.is(Date.parse(approval.expiresAt) - Date.parse(approval.requestedAt), 900_000);
    assert.equal(ran, []);
    assert.equal(
      await app.call('POST', `${session.path}/approvals/${approval.id}`, { body: { approved: true, note: 'careful' } }),
      { resolved: true },
    );
    const after = await session.until('run.finished');
    assert.equal(types(after).slice(0, 2), ['approval.resolved', 'tool.finished']);
    assert.equal(ran, ['probe']);
    assert.match(only(after, 'tool.finished')[0]?.result.content ?? '', /launched probe[\s\S]*careful/);
    await app.call('POST', `${session.path}/approvals/${approval.id}`, { status: 404, body: { approved: true } });
  });
});

approvals('are seen by a client that subscribes after it has sent its message', async () => {
  const model = scriptedModel([{ toolCalls: [callOf('launch', { what: 'probe' })] }]);
  await withSession({ models: [model], tools: [askingTool([])] }, async (app, session) => {
    await session.send('go');
    await session.until('approval.requested');
    const late = await app.events(`${session.path}/events`);
    const seen = (await late.until('approval.requested')).map(({ event }) => event.type);
    assert.equal(seen.slice(0, 3), ['message.completed', 'session.updated', 'run.started']);
    await app.call('POST', `${session.path}/cancel`, {});
    await late.until('run.finished');
    const idle = await app.events(`${session.path}/events`);
    await app.call('PATCH', session.path, { body: { title: 'After it' } });
    assert.equal(
      (await idle.until('session.updated')).map(({ event }) => event.type),
      ['session.updated'],
    );
  });
});

approvals('record a denial with its note, and the run goes on', async () => {
  const ran: string[] = [];
  const model = scriptedModel([{ toolCalls: [callOf('launch', { what: 'probe' })] }, { content: 'fine, not then' }]);
  await withSession({ models: [model], tools: [askingTool(ran)] }, async (app, session) => {
    await session.send('go');
    const [requested] = only(await session.until('approval.requested'), 'approval.requested');
    await app.call('POST', `${session.path}/approvals/${requested?.approval.id}`, {
      body: { approved: false, note: 'too risky' },
    });
    const after = await session.until('run.finished');
    assert.equal(ran, []);
    const [finished] = only(after, 'tool.finished');
    assert.is(finished?.result.ok, false);
    assert.match(finished?.result.content ?? '', /too risky/);
    assert.is(only(after, 'approval.resolved')[0]?.approved, false);
    assert.is(model.requests.length, 2);
  });
});

approvals('are declined when nobody decides in time', async () => {
  const ran: string[] = [];
  const clock = createFakeClock();
  const model = scriptedModel([{ toolCalls: [callOf('launch', { what: 'probe' })] }]);
  const settings = { approvals: { timeoutMs: 60_000 }, plugins: { directories: [] } };
  await withSession({ models: [model], tools: [askingTool(ran)], settings, clock }, async (app, session) => {
    await session.send('go');
    const [requested] = only(await session.until('approval.requested'), 'approval.requested');
    clock.advance(59_999);
    assert.is(
      (await app.call<{ session: { pendingApprovals: unknown[] } }>('GET', session.path, {})).session.pendingApprovals
        .length,
      1,
    );
    clock.advance(1);
    const after = await session.until('run.finished');
    assert.is(only(after, 'approval.resolved')[0]?.approved, false);
    assert.equal(ran, []);
    await app.call('POST', `${session.path}/approvals/${requested?.approval.id}`, {
      status: 404,
      body: { approved: true },
    });
  });
});

approvals('of another session, unknown ones and bad decisions are refused', async () => {
  const model = scriptedModel([{ toolCalls: [callOf('launch', { what: 'probe' })] }]);
  await withSession({ models: [model], tools: [askingTool([])] }, async (app, session) => {
    const other = await app.newSession();
    await session.send('go');
    const [requested] = only(await session.until('approval.requested'), 'approval.requested');
    const id = requested?.approval.id;
    const refused = await app.call<{ error: { code: string } }>('POST', `/api/sessions/${other.id}/approvals/${id}`, {
      status: 404,
      body: { approved: true },
    });
    assert.is(refused.error.code, 'approval_not_found');
    for (const body of [
      {},
      { approved: 'yes' },
      { approved: true, note: 7 },
      { approved: true, note: 'x'.repeat(2_001) },
    ]) {
      const { error } = await app.call<{ error: { code: string } }>('POST', `${session.path}/approvals/${id}`, {
        status: 400,
        body,
      });
      assert.is(error.code, 'invalid_decision');
    }
    await app.call('POST', `${session.path}/approvals/${id}`, { body: { approved: false } });
    await session.until('run.finished');
  });
});

approvals(
  'resolve exactly once when decision, duplicate, timeout and cancel meet in one tick, 1,000 times',
  async () => {
    const ran: string[] = [];
    const clock = createFakeClock();
    const settings = { approvals: { timeoutMs: 1_000 }, plugins: { directories: [] } };
    const model = scriptedModel();
    let session: TestSession | undefined;
    const race = async (app: TestApp, round: number): Promise<void> => {
      if (!session) return;
      const { id: sessionId } = session;
      model.add({ toolCalls: [callOf('launch', { what: String(round) }, `c${round}`)] });
      await session.send('go');
      const [requested] = only(await session.until('approval.requested'), 'approval.requested');
      const id = requested?.approval.id ?? '';
      const moves = [
        () => app.app.approvals.decide(sessionId, id, { approved: true }),
        () => app.app.approvals.decide(sessionId, id, { approved: false }),
        () => clock.advance(1_000),
        () => app.app.runs.stop(sessionId, 'cancelled'),
      ];
      const turn = round % moves.length;
      let refused = 0;
      for (const move of [...moves.slice(turn), ...moves.slice(0, turn)]) {
        try {
          move();
        } catch {
          refused++;
        }
      }
      const after = await session.until('run.finished');
      assert.is(only(after, 'approval.resolved').length, 1);
      assert.ok(refused >= 1, 'the loser of two decisions is told');
      assert.ok(ran.length <= round + 1);
      assert.is(types(after).at(-1), 'run.finished');
      if (round % 50 === 49) await session.stream.close();
    };
    await withApp(
      { models: [model], tools: [askingTool(ran)], settings, clock },
      async (app) => {
        for (let round = 0; round < 1_000; round++) {
          // A transcript that grows over all the rounds would cost more than the race.
          if (round % 50 === 0) session = await watch(app, (await app.newSession()).id);
          await race(app, round);
        }
        assert.is(new Set(ran).size, ran.length);
      },
      60_000,
    );
  },
);

approvals.run();
