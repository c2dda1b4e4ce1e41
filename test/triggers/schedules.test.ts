import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Reply, scriptedModel } from '../helpers/scripted-model.ts';
import { eventually } from '../helpers/within.ts';
import { hourly, minute, pass, promptsOf, quiet, sessionsOf, warnings, withSchedule } from './schedule-rig.ts';

const schedules = suite('Schedules');

schedules('start a normal session and run in their minute, once, at its beginning', async () => {
  await withSchedule({ schedules: [{ ...hourly, title: 'Hourly' }] }, async (rig) => {
    await pass(rig, 59_000, 1_000);
    assert.equal(await sessionsOf(rig.app), []);
    await pass(rig, 2 * minute, 1_000);
    assert.equal(await promptsOf(rig.app), ['report of hourly at 2026-01-01T00:00:00.000Z for {}']);
    const [session] = await sessionsOf(rig.app);
    assert.is(session?.title, 'Hourly');
    assert.is(session?.status, 'idle');
    await pass(rig, 60 * minute);
    assert.is((await sessionsOf(rig.app)).length, 2);
  });
});

for (const tickMs of [1_000, 7_000, 30_000, 600_000])
  schedules(`with tickMs ${tickMs} no minute is lost and none is doubled`, async () => {
    await withSchedule(
      { tickMs, schedules: [{ ...hourly, cron: '*/2 * * * *', prompt: '{{timestamp}}' }] },
      async (rig) => {
        await pass(rig, 6 * minute + 30_000, 500);
        assert.equal(
          (await promptsOf(rig.app)).map((prompt) => prompt.slice(11, 16)),
          ['00:00', '00:02', '00:04'],
        );
      },
    );
  });

schedules('of the same minute start together', async () => {
  const both = ['a', 'b'].map((id) => ({ id, cron: '0 0 * * *', prompt: id }));
  await withSchedule({ schedules: both }, async (rig) => {
    await pass(rig, minute);
    assert.equal(await promptsOf(rig.app), ['a', 'b']);
  });
});

schedules('a run that is still active at the next matching minute is skipped, with one warning', async () => {
  let finish = () => {};
  const slow: Reply = () => new Promise((resolve) => (finish = () => resolve({ content: 'at last' })));
  const every = { ...hourly, cron: '* * * * *' };
  await withSchedule(
    { schedules: [every] },
    async (rig) => {
      rig.clock.advance(30_000);
      await eventually(5_000, () => rig.model.requests.length === 1);
      rig.clock.advance(30_000);
      rig.clock.advance(20_000);
      assert.equal(warnings(rig.app).length, 1);
      assert.match(warnings(rig.app)[0] ?? '', /"hourly" is skipped: its previous run is still active/);
      finish();
      await quiet(rig);
      // What was skipped is not made up for within its minute.
      await pass(rig, 39_000, 1_000);
      assert.is((await sessionsOf(rig.app)).length, 1);
      await pass(rig, 1_000);
      assert.is((await sessionsOf(rig.app)).length, 2);
      assert.is(warnings(rig.app).length, 1);
    },
    { replies: [slow] },
  );
});

schedules('a failed run is a session with status error; nothing is tried again', async () => {
  await withSchedule(
    { schedules: [hourly] },
    async (rig) => {
      await pass(rig, 30 * minute);
      assert.equal(
        (await sessionsOf(rig.app)).map(({ status }) => status),
        ['error'],
      );
    },
    { replies: [() => Promise.reject(new Error('no'))] },
  );
});

schedules('one that can not be started is a warning, and starts again at its next minute', async () => {
  await withSchedule({ schedules: [{ ...hourly, model: 'late' }] }, async (rig) => {
    await pass(rig, 2 * minute);
    assert.equal(await sessionsOf(rig.app), []);
    assert.match(warnings(rig.app).join(), /"hourly" did not start: There is no model "late"/);
    rig.app.app.models.register(scriptedModel([], { id: 'late' }));
    await pass(rig, 60 * minute);
    assert.is((await sessionsOf(rig.app)).length, 1);
  });
});

schedules.run();

const routes = suite('Administrators see and start schedules');

interface Listed {
  schedules: {
    id: string;
    cron: string;
    next: string;
    active: boolean;
    tenantId: string;
    last?: { sessionId: string; at: string };
  }[];
}

routes('GET /api/triggers tells the next time and the last session', async () => {
  await withSchedule({ schedules: [hourly] }, async (rig) => {
    const look = async () => (await rig.app.call<Listed>('GET', '/api/triggers', {})).schedules;
    const schedule = { id: 'hourly', tenantId: 'default', cron: '0 * * * *', active: false };
    assert.equal(await look(), [{ ...schedule, next: '2026-01-01T00:00:00.000Z' }]);
    await pass(rig, minute);
    const [session] = await sessionsOf(rig.app);
    const last = { sessionId: session?.id, at: '2026-01-01T00:00:00.000Z' };
    assert.equal(await look(), [{ ...schedule, next: '2026-01-01T01:00:00.000Z', last }]);
  });
});

routes('POST /api/triggers/:id/run starts it now, unless its previous run is active', async () => {
  let finish = () => {};
  const slow: Reply = () => new Promise((resolve) => (finish = () => resolve({})));
  await withSchedule(
    { schedules: [hourly] },
    async (rig) => {
      const run = (status: number) => rig.app.call('POST', '/api/triggers/hourly/run', { status });
      const started = await run(202);
      assert.equal(Object.keys(started), ['trigger', 'sessionId', 'runId']);
      assert.is((await run(409)).error && 'conflict', 'conflict');
      await pass(rig, 0);
      rig.clock.advance(minute);
      assert.is(warnings(rig.app).length, 1);
      await eventually(5_000, () => rig.model.requests.length === 1);
      finish();
      await quiet(rig);
      await run(202);
      await quiet(rig);
      assert.is((await sessionsOf(rig.app)).length, 2);
    },
    { replies: [slow] },
  );
});

routes.run();
