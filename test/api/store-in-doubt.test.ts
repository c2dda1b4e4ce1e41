import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { storeInDoubt } from '../../lib/store/not-stored.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { withSession } from '../helpers/with-app.ts';
import { eventually } from '../helpers/within.ts';

const doubt = suite('While the store does not know what became of a change');

/** A store that can lose its database in the middle of a commit. */
function doubtfulStore() {
  const store = createMemoryStore();
  const held: (() => void)[] = [];
  let lost = false;
  return {
    held,
    lose() {
      lost = true;
    },
    find() {
      lost = false;
      for (const go of held.splice(0)) go();
    },
    store: {
      ...store,
      trouble: () => (lost ? ('unavailable' as const) : undefined),
      inDoubt: () => lost,
      async commit(commit: Parameters<typeof store.commit>[0]) {
        if (lost) await new Promise<void>((resolve) => held.push(resolve));
        await store.commit(commit);
      },
    },
  };
}

doubt(
  'its request is answered 500 after 30 s, new work 429 at once, and the change is made when it is known',
  async () => {
    const clock = createFakeClock();
    const { store, held, lose, find } = doubtfulStore();
    await withSession({ clock, store, models: [scriptedModel()] }, async (app, session) => {
      lose();
      const asked = app.fetch(session.path, { method: 'PATCH', body: '{"title":"in doubt"}' });
      await eventually(2_000, () => held.length === 1);
      const vetoed = await app.fetch(`${session.path}/messages`, { method: 'POST', body: '{"content":"hi"}' });
      assert.is(vetoed.status, 429);
      assert.match(await vetoed.text(), 'storage_unavailable');
      let answered = false;
      void asked.then(() => {
        answered = true;
      });
      clock.advance(29_999);
      await new Promise((resolve) => setImmediate(resolve));
      assert.is(answered, false);
      clock.advance(1);
      const answer = await asked;
      assert.is(answer.status, 500);
      const { error } = (await answer.json()) as { error: { code: string; message: string } };
      assert.is(error.code, 'internal_error');
      assert.match(error.message, 'look before you repeat it');
      const requestId = answer.headers.get('x-request-id') ?? '';
      assert.ok(app.lines.some((line) => line.includes('A change was answered') && line.includes(requestId)));
      find();
      const [event] = await session.until('session.updated');
      assert.is(event?.type === 'session.updated' && event.session.title, 'in doubt');
      assert.is((await app.detail(session.id)).title, 'in doubt');
    });
  },
);

doubt('a request that only takes its time is not cut', async () => {
  const clock = createFakeClock();
  const { store, held, lose, find } = doubtfulStore();
  const slow = { ...store, trouble: () => undefined, inDoubt: () => false };
  await withSession({ clock, store: slow, models: [scriptedModel()] }, async (app, session) => {
    lose();
    const asked = app.fetch(session.path, { method: 'PATCH', body: '{"title":"slow"}' });
    await eventually(2_000, () => held.length === 1);
    clock.advance(120_000);
    find();
    assert.is((await asked).status, 200);
  });
});

doubt(
  'a request that the stop of the service overtakes is told that nobody knows, not that nothing was changed',
  async () => {
    const store = createMemoryStore();
    await withSession({ store, models: [scriptedModel()] }, async (app, session) => {
      store.commit = () => Promise.reject(storeInDoubt('the store stopped'));
      const answer = await app.fetch(session.path, { method: 'PATCH', body: '{"title":"in doubt"}' });
      assert.is(answer.status, 500);
      const text = await answer.text();
      assert.match(text, 'The store did not finish');
      assert.match(text, 'look before you repeat it');
      assert.not.match(text, 'Nothing was changed');
    });
  },
);

doubt.run();
