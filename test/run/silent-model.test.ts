import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Model, ModelIo } from '../../lib/models/model.ts';
import { createFakeClock, type FakeClock } from '../helpers/fake-clock.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { only, type TestSession, types, withSession } from '../helpers/with-app.ts';
import { eventually, within } from '../helpers/within.ts';

const silence = suite('A model that says nothing any more fails its run, also when it ignores its signal');

const minute = 60_000;

/** A model of a plugin that never answers. `asked` are its calls so far. */
function silentModel(more: Partial<Model> = {}): Model & { asked: ModelIo[] } {
  const asked: ModelIo[] = [];
  return {
    info: { id: 'silent', provider: 'test', supportsTools: false },
    asked,
    complete(_, io) {
      asked.push(io);
      return new Promise(() => {});
    },
    ...more,
  };
}

/** Sends a message to it, and goes on when it was asked. */
function whileSilent(
  model: ReturnType<typeof silentModel>,
  use: (around: { app: TestApp; session: TestSession; clock: FakeClock; before: number }) => Promise<void>,
): Promise<void> {
  const clock = createFakeClock();
  return withSession({ models: [model], clock }, async (app, session) => {
    const before = clock.pending;
    await session.send('go');
    await eventually(5_000, () => model.asked.length === 1);
    await use({ app, session, clock, before });
  });
}

silence('after 15 minutes, once: a call that may still be going on is not made again', async () => {
  const model = silentModel();
  await whileSilent(model, async ({ app, session, clock }) => {
    clock.advance(15 * minute - 1);
    assert.not.ok(model.asked[0]?.signal.aborted);
    clock.advance(1);
    const events = await within(5_000, session.until('run.failed'));
    assert.is(only(events, 'run.failed')[0]?.error, 'The model "silent" gave no sign of life for 900 s.');
    assert.not.ok(types(events).includes('notice'));
    assert.ok(model.asked[0]?.signal.aborted, 'it is told');
    assert.equal([model.asked.length, (await app.detail(session.id)).status], [1, 'error']);
  });
});

silence('counted from its last word; what it had said is kept', async () => {
  const model = silentModel();
  await whileSilent(model, async ({ app, session, clock }) => {
    for (const word of ['so', ' far']) {
      clock.advance(14 * minute);
      model.asked[0]?.onDelta('text', word);
      await within(5_000, session.until('message.delta'));
    }
    clock.advance(15 * minute);
    await within(5_000, session.until('run.failed'));
    const { messages } = await app.detail(session.id);
    assert.equal(messages.at(-1)?.content, 'so far');
  });
});

silence('as long as the model itself says', async () => {
  const model = silentModel({ silenceMs: 2 * minute });
  await whileSilent(model, async ({ session, clock }) => {
    clock.advance(2 * minute);
    const [failed] = only(await within(5_000, session.until('run.failed')), 'run.failed');
    assert.match(failed?.error ?? '', 'for 120 s');
  });
});

silence('never, when it says that it ends its calls itself', async () => {
  const model = silentModel({ silenceMs: 0 });
  await whileSilent(model, async ({ app, session, clock }) => {
    clock.advance(24 * 60 * minute);
    assert.is((await app.detail(session.id)).status, 'running');
    await app.call('POST', `${session.path}/cancel`, {});
    await within(5_000, session.until('run.finished'));
  });
});

silence('a cancel does not wait for it, and leaves no timer behind', async () => {
  const model = silentModel();
  await whileSilent(model, async ({ app, session, clock, before }) => {
    await app.call('POST', `${session.path}/cancel`, {});
    const [finished] = only(await within(5_000, session.until('run.finished')), 'run.finished');
    assert.is(finished?.status, 'cancelled');
    assert.ok(model.asked[0]?.signal.aborted);
    assert.is(clock.pending, before);
  });
});

silence.run();
