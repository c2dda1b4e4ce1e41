import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionCommit } from '../../lib/store/change.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { withApp } from '../helpers/with-app.ts';
import { eventually } from '../helpers/within.ts';

const test = suite('a run counts against maxConcurrentRuns until its end is stored, whatever else is stored meanwhile');

/** A service with one slot, and a disk that keeps what `held` names waiting until it is released. */
function oneSlot(
  held: (commit: SessionCommit) => boolean,
  use: (app: TestApp, disk: { waiting: boolean; release(): void }) => Promise<void>,
): Promise<void> {
  const disk = { waiting: false, release: () => {} };
  const released = new Promise<void>((resolve) => (disk.release = resolve));
  const memory = createMemoryStore();
  const store = {
    ...memory,
    async commit(commit: SessionCommit) {
      if (held(commit)) {
        disk.waiting = true;
        await released;
      }
      await memory.commit(commit);
    },
  };
  const limits = { default: { maxConcurrentRuns: 1 } };
  const settings = { plugins: { directories: [], allow: ['quota'], config: { quota: limits } } };
  const model = scriptedModel([
    async (_, { signal }) => {
      if (held.name === 'isDeletion') await new Promise((_, reject) => signal.addEventListener('abort', reject));
      return { content: 'done' };
    },
  ]);
  return withApp({ settings, store, bundled: true, models: [model] }, (app) =>
    use(app, disk).finally(() => disk.release()),
  );
}

const send = (app: TestApp, id: string) =>
  app.fetch(`/api/sessions/${id}/messages`, { method: 'POST', body: '{"content":"hi"}' });

const isEnd = ({ change }: SessionCommit): boolean => change.kind === 'appended' && change.fields.status === 'idle';
const isDeletion = ({ change }: SessionCommit): boolean => change.kind === 'deleted';

test('that ends by itself', () =>
  oneSlot(isEnd, async (app, disk) => {
    const [first, second] = [await app.newSession(), await app.newSession()];
    assert.is((await send(app, first.id)).status, 202);
    await eventually(5_000, () => disk.waiting, 'the end of the run');
    assert.is((await send(app, second.id)).status, 429);
    disk.release();
    await eventually(5_000, async () => (await app.detail(first.id)).status === 'idle', 'the end of the run');
    assert.is((await send(app, second.id)).status, 202);
  }));

test('whose session is deleted', () =>
  oneSlot(isDeletion, async (app, disk) => {
    const [first, second] = [await app.newSession(), await app.newSession()];
    assert.is((await send(app, first.id)).status, 202);
    const deleted = app.fetch(`/api/sessions/${first.id}`, { method: 'DELETE' });
    await eventually(5_000, () => disk.waiting, 'the deletion');
    assert.is((await send(app, second.id)).status, 429);
    disk.release();
    assert.is((await deleted).status, 204);
    assert.is((await send(app, second.id)).status, 202);
  }));

test('and whoever is told of the end finds the slot free', () =>
  oneSlot(
    () => false,
    async (app) => {
      const [first, second] = [await app.newSession(), await app.newSession()];
      const answers: Promise<Response>[] = [];
      app.app.events.listen((_, { event }) => {
        if (event.type === 'run.finished' && event.sessionId === first.id) answers.push(send(app, second.id));
      });
      assert.is((await send(app, first.id)).status, 202);
      await eventually(5_000, () => answers.length > 0, 'the end of the run');
      assert.is((await answers[0])?.status, 202);
    },
  ));

test.run();
