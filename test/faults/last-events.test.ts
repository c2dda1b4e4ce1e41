import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { withSession } from '../helpers/with-app.ts';
import { eventually } from '../helpers/within.ts';

const stopping = suite('A stop waits for the end of a run that is over but not yet stored');

stopping('its watchers see that end', async () => {
  const store = createMemoryStore();
  let release = () => {};
  const slow = {
    ...store,
    async commit(commit: Parameters<typeof store.commit>[0]) {
      const { change } = commit;
      const isEnd = change.kind === 'appended' && change.messages[0]?.role === 'assistant';
      if (isEnd) await new Promise<void>((resolve) => (release = resolve));
      await store.commit(commit);
    },
  };
  await withSession({ store: slow, models: [scriptedModel()] }, async ({ app }, session) => {
    await session.send('hi');
    await eventually(2_000, () => app.runs.active === 0);
    let stopped = false;
    const stop = app.runs.stopAll().then(() => {
      stopped = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.is(stopped, false);
    release();
    await stop;
    const seen = await session.until('run.finished');
    assert.is(seen.at(-1)?.type, 'run.finished');
  });
});

stopping.run();
