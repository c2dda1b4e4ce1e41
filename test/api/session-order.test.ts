import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { withApp } from '../helpers/with-app.ts';

interface Listing {
  sessions: { title: string; status: string; updatedAt: string }[];
}

const order = suite('GET /api/sessions lists the most recently updated first');

async function titlesOf(app: TestApp): Promise<string[]> {
  const { sessions } = await app.call<Listing>('GET', '/api/sessions', {});
  const times = sessions.map(({ updatedAt }) => updatedAt);
  assert.equal(times, times.toSorted().reverse());
  return sessions.map(({ title }) => title);
}

async function createAll(app: TestApp, titles: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const title of titles) ids.push((await app.newSession({ title })).id);
  return ids;
}

order('reading a session after a restart does not move it', async () => {
  const store = createMemoryStore();
  const models = [scriptedModel()];
  const clock = createFakeClock();
  let ids: string[] = [];
  await withApp({ models, store, clock }, async (app) => {
    for (const title of ['a', 'b', 'c']) {
      clock.advance(1_000);
      ids = [...ids, ...(await createAll(app, [title]))];
    }
  });
  await withApp({ models, store, clock }, async (app) => {
    assert.equal(await titlesOf(app), ['c', 'b', 'a']);
    await app.detail(ids[0] ?? '');
    assert.equal(await titlesOf(app), ['c', 'b', 'a']);
  });
});

order('a change that could not be stored does not move it', async () => {
  const store = createMemoryStore();
  const clock = createFakeClock();
  let fails = false;
  const commit: typeof store.commit = (change) => (fails ? Promise.reject(new Error('disk')) : store.commit(change));
  await withApp({ models: [scriptedModel()], store: { ...store, commit }, clock }, async (app) => {
    const ids: string[] = [];
    for (const title of ['a', 'b', 'c']) {
      clock.advance(1_000);
      ids.push(...(await createAll(app, [title])));
    }
    clock.advance(1_000);
    fails = true;
    for (const id of ids.slice(0, 2)) {
      const body = '{"title":"renamed"}';
      assert.is((await app.fetch(`/api/sessions/${id}`, { method: 'PATCH', body })).status, 500);
    }
    assert.equal(await titlesOf(app), ['c', 'b', 'a']);
    fails = false;
    clock.advance(1_000);
    await app.call('PATCH', `/api/sessions/${ids[1]}`, { body: { title: 'B' } });
    assert.equal(await titlesOf(app), ['B', 'c', 'a']);
  });
});

order('sessions changed within one millisecond stay in the order of their changes, after a restart too', async () => {
  const store = createMemoryStore();
  const options = { models: [scriptedModel()], store, clock: createFakeClock() };
  await withApp(options, async (app) => {
    const [a, , c] = await createAll(app, ['a', 'b', 'c']);
    await app.call('PATCH', `/api/sessions/${c}`, { body: { title: 'C' } });
    await app.call('PATCH', `/api/sessions/${a}`, { body: { title: 'A' } });
    assert.equal(await titlesOf(app), ['A', 'C', 'b']);
  });
  await withApp(options, async (app) => assert.equal(await titlesOf(app), ['A', 'C', 'b']));
});

order('a clock that was set back leaves them in the order of their changes, after a restart too', async () => {
  const store = createMemoryStore();
  const clock = createFakeClock();
  const options = { models: [scriptedModel()], store, clock };
  await withApp(options, async (app) => {
    const [a] = await createAll(app, ['a', 'b', 'c']);
    clock.step(-3_600_000);
    await app.call('PATCH', `/api/sessions/${a}`, { body: { title: 'A' } });
    assert.equal(await titlesOf(app), ['A', 'c', 'b']);
  });
  await withApp(options, async (app) => {
    await createAll(app, ['d']);
    assert.equal(await titlesOf(app), ['d', 'A', 'c', 'b']);
  });
});

order('and tells every change at once, whoever asked before', async () => {
  const clock = createFakeClock();
  await withApp({ models: [scriptedModel([{ content: 'ok' }])], clock }, async (app) => {
    const [a = '', b = ''] = await createAll(app, ['a', 'b']);
    assert.equal(await titlesOf(app), ['b', 'a']);
    clock.advance(1_000);
    await app.call('PATCH', `/api/sessions/${a}`, { body: { title: 'A' } });
    assert.equal(await titlesOf(app), ['A', 'b']);
    await app.call('DELETE', `/api/sessions/${a}`, { status: 204 });
    assert.equal(await titlesOf(app), ['b']);
    await createAll(app, ['c']);
    assert.equal((await titlesOf(app)).toSorted(), ['b', 'c']);
    clock.advance(1_000);
    await app.call('POST', `/api/sessions/${b}/messages`, { status: 202, body: { content: 'hi' } });
    const { sessions } = await app.call<Listing>('GET', '/api/sessions', {});
    assert.is(sessions[0]?.status === 'running' || sessions[0]?.status === 'idle', true);
  });
});

order.run();
