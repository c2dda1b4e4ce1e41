import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { eventually } from '../helpers/within.ts';
import { childrenIn, delegating, delegatingMany, forever, teamModel, withTeam } from './team.ts';

const races = suite('Whenever the parent ends, nothing goes on for it');

/** A store whose records take a few turns of the event loop to become durable. */
function slowStore(turns = 4): SessionStore {
  const store = createMemoryStore();
  return {
    ...store,
    async commit(change) {
      await pass(turns);
      await store.commit(change);
    },
  };
}

async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const team = () =>
  teamModel({ boss: [delegatingMany(['lead', 'worker'])], lead: [delegating('worker')], worker: [forever] });

for (const how of ['cancel', 'delete'] as const)
  races(`${how} at any moment while children are being created and started`, async () => {
    for (let turns = 0; turns < 60; turns += 3)
      await withTeam({ models: [team()], store: slowStore() }, async (app, session) => {
        await session.send('boss');
        await pass(turns);
        if (how === 'cancel') await app.call('POST', `${session.path}/cancel`, {});
        else await app.call('DELETE', session.path, { status: 204 });
        await eventually(2_000, () => app.app.runs.active === 0, `the end of all runs (${turns})`);
        await pass(30);
        assert.is(app.app.runs.active, 0);
        const children = await childrenIn(app);
        if (how === 'delete') assert.equal(children, [], `children after ${turns}`);
        for (const child of children) {
          assert.is(child.status, 'cancelled', `after ${turns} turns`);
          assert.ok(child.messageCount > 0, `an empty session was left after ${turns} turns`);
        }
      });
  });

races('a stop of the service at any moment leaves interrupted sessions, never running ones', async () => {
  for (let turns = 0; turns < 60; turns += 5) {
    const store = slowStore();
    await withTeam({ models: [team()], store }, async (_app, session) => {
      await session.send('boss');
      await pass(turns);
    });
    await pass(30);
    const { sessions } = await store.open({ resident: () => undefined });
    for (const { title, status } of sessions)
      assert.ok(['interrupted', 'cancelled'].includes(status), `${title} is ${status} after ${turns}`);
  }
});

races.run();
