import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import { createTestApp } from '../helpers/test-app.ts';
import { watch, withApp } from '../helpers/with-app.ts';
import { eventually } from '../helpers/within.ts';

const hour = 3_600_000;
const tenYears = 10 * 365.25 * 24 * hour;
const jumps: [name: string, ms: number][] = [
  ['an hour ahead', hour],
  ['an hour back', -hour],
  ['ten years ahead', tenYears],
  ['ten years back', -tenYears],
];

const times = suite('A step of the wall clock');

for (const [name, ms] of jumps) {
  times(`${name}: updatedAt of a session never decreases, ids and seq go on rising`, () => {
    const clock = createFakeClock();
    return withApp({ clock, models: [scriptedModel()] }, async (app) => {
      const { id, updatedAt } = await app.newSession();
      const session = await watch(app, id);
      const seen = [updatedAt];
      for (const step of [ms, 0, -ms]) {
        clock.step(step);
        clock.advance(1_000);
        await app.call('PATCH', session.path, { body: { title: `After ${step}` } });
        seen.push((await app.detail(id)).updatedAt);
        await session.send('hi');
        await session.until('run.finished');
        seen.push((await app.detail(id)).updatedAt);
      }
      assert.equal(seen, seen.toSorted());
      const { messages } = await app.detail(id);
      const ids = messages.map((message) => message.id);
      assert.is(ids.length, 6);
      assert.equal(ids, ids.toSorted());
      const seqs = session.stream.envelopes.map(({ seq }) => seq);
      assert.equal(
        seqs,
        seqs.toSorted((a, b) => a - b),
      );
      assert.is(new Set(seqs).size, seqs.length);
      await session.stream.close();
    });
  });

  times(`${name}: an approval keeps its time, neither early nor for ever`, () => {
    const clock = createFakeClock();
    const tool = { name: 'act', description: '', permission: 'ask' as const, parameters: {}, execute: () => 'done' };
    const settings = { approvals: { timeoutMs: 10_000 } };
    const model = scriptedModel([{ toolCalls: [callOf('act')] }]);
    return withApp({ clock, settings, tools: [tool], models: [model] }, async (app) => {
      const session = await watch(app, (await app.newSession()).id);
      await session.send('Go');
      await session.until('approval.requested');
      clock.advance(5_000);
      clock.step(ms);
      clock.advance(4_999);
      await new Promise((resolve) => setImmediate(resolve));
      assert.is(app.app.approvals.pendingOf(session.id).length, 1);
      clock.advance(1);
      await session.until('approval.resolved');
      await session.until('run.finished');
      await session.stream.close();
    });
  });

  times(`${name}: a retry waits its delay`, () => {
    const clock = createFakeClock();
    let attempts = 0;
    const model = scriptedModel([
      () => {
        attempts += 1;
        throw Object.assign(new Error('busy'), { name: 'ProviderError', retryable: true, retryAfterMs: 4_000 });
      },
      () => {
        attempts += 1;
        return { content: 'done' };
      },
    ]);
    return withApp({ clock, models: [model] }, async (app) => {
      const session = await watch(app, (await app.newSession()).id);
      await session.send('Go');
      await session.until('notice');
      clock.step(ms);
      await eventually(2_000, () => clock.pending > 0);
      assert.is(attempts, 1);
      clock.advance(8_000);
      await session.until('run.finished');
      assert.is(attempts, 2);
      await session.stream.close();
    });
  });
}

times(
  'a clock that was once a year ahead: what is changed after it was set right still comes first in the list',
  () => {
    const clock = createFakeClock();
    return withApp({ clock, models: [scriptedModel()] }, async (app) => {
      const ids: string[] = [];
      for (let at = 0; at < 4; at++) ids.push((await app.newSession()).id);
      const rename = async (id: string) => {
        clock.advance(1_000);
        await app.call('PATCH', `/api/sessions/${id}`, { body: { title: `Changed at ${clock.monotonic()}` } });
      };
      const listed = async () => {
        const { sessions } = await app.call<{ sessions: { id: string }[] }>('GET', '/api/sessions', {});
        return sessions.map(({ id }) => id);
      };
      clock.step(365 * 24 * hour);
      for (const id of ids) await rename(id);
      clock.step(-365 * 24 * hour);
      for (let round = 0; round < 30; round++) for (const id of ids) await rename(id);
      assert.equal(await listed(), ids.toReversed());
      await rename(ids[1] ?? '');
      assert.is((await listed())[0], ids[1]);
    });
  },
);

times('across a restart: seq is above every earlier one, and a session does not become older', async () => {
  const store = createMemoryStore();
  const clock = createFakeClock();
  let [last, updatedAt, id, directory] = [0, '', '', ''];
  await withApp({ clock, store, models: [scriptedModel()] }, async (app) => {
    directory = app.directory;
    ({ id, updatedAt } = await app.newSession());
    const session = await watch(app, id);
    await session.send('hi');
    await session.until('run.finished');
    await session.stream.close();
    last = app.app.events.lastSeq;
    ({ updatedAt } = await app.detail(id));
  });
  clock.step(-tenYears);
  const again = await createTestApp({ clock, store, directory, models: [scriptedModel()] });
  assert.ok(again.app.events.lastSeq >= last);
  await again.call('PATCH', `/api/sessions/${id}`, { body: { title: 'Later' } });
  assert.ok((await again.detail(id)).updatedAt >= updatedAt);
  await again.close();
});

times.run();
