import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { childrenIn, delegatingMany, resultOf, teamModel, withTeam } from './team.ts';

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
