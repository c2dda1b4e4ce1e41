import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Reply } from '../helpers/scripted-model.ts';
import { childrenIn, delegating, delegatingMany, resultOf, teamModel, withTeam } from './team.ts';

const slots = suite('maxConcurrent children run at the same time in the whole service');

const slow: Reply = () => new Promise((resolve) => setTimeout(() => resolve({ content: 'ok' }), 15));

for (const [maxConcurrent, seen] of [
  [1, 1],
  [3, 3],
  [0, 6],
] as const)
  slots(`maxConcurrent ${maxConcurrent}: at most ${seen} of six`, async () => {
    const model = teamModel({ boss: [delegatingMany(Array(6).fill('worker'))], worker: [slow] });
    await withTeam({ models: [model], config: { maxConcurrent } }, async (app, session) => {
      assert.is((await resultOf(session)).ok, true);
      assert.is((await childrenIn(app)).length, 6);
      assert.is(model.busiest, seen);
    });
  });

slots('delegate and delegate_many of several sessions share the slots', async () => {
  const model = teamModel({
    boss: [delegatingMany(['worker', 'worker', 'worker'])],
    chief: [delegating('worker')],
    worker: [slow],
  });
  await withTeam({ models: [model], config: { maxConcurrent: 2 } }, async (app, session) => {
    const others = await Promise.all([app.newSession(), app.newSession()]);
    for (const { id } of others)
      await app.call('POST', `/api/sessions/${id}/messages`, { status: 202, body: { content: 'chief' } });
    await resultOf(session);
    for (const { id } of others) await app.app.runs.settled(id);
    assert.is((await childrenIn(app)).length, 5);
    assert.is(model.busiest, 2);
  });
});

slots('a child that waits for its own children gives its slot away: no deadlock at depth 2', async () => {
  for (const maxConcurrent of [1, 3]) {
    const model = teamModel({
      boss: [delegatingMany(Array(6).fill('lead'))],
      lead: [delegatingMany(['worker', 'worker', 'worker']), slow],
      worker: [slow],
    });
    await withTeam({ models: [model], config: { maxConcurrent } }, async (app, session) => {
      const { content } = await resultOf(session);
      assert.is(content.match(/\(general, completed\)/g)?.length, 6);
      assert.is((await childrenIn(app)).length, 24);
      assert.ok(model.busiest <= maxConcurrent, `${model.busiest} at once`);
    });
  }
});

slots('also three levels down, with delegations in a row', async () => {
  const model = teamModel({
    boss: [delegatingMany(['lead', 'lead', 'lead'])],
    lead: [delegating('sublead'), delegating('sublead'), slow],
    sublead: [delegating('worker'), slow],
    worker: [slow],
  });
  await withTeam({ models: [model], config: { maxConcurrent: 2, maxDepth: 3 } }, async (app, session) => {
    assert.is((await resultOf(session)).ok, true);
    assert.is((await childrenIn(app)).length, 15);
    assert.ok(model.busiest <= 2);
  });
});

slots('a failed or refused child gives its slot back', async () => {
  const model = teamModel({
    boss: [delegatingMany(['bad', 'bad', { task: 'x', role: 'lost' }]), delegatingMany(['worker', 'worker'])],
    bad: [() => Promise.reject(new Error('no'))],
    worker: [slow],
  });
  const config = { maxConcurrent: 1, roles: { lost: { prompt: 'x', model: 'nowhere' } } };
  await withTeam({ models: [model], config }, async (app, session) => {
    await resultOf(session);
    const results = (await app.detail(session.id)).messages.filter(({ role }) => role === 'tool');
    assert.match(results[0]?.content ?? '', /3\. x \(lost, refused\)\n\nIt could not be started: There is no model/);
    assert.is(results[1]?.content.match(/completed/g)?.length, 2);
  });
});

slots.run();
