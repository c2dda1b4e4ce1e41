import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../lib/base/clock.ts';
import { createLogger } from '../../lib/base/logger.ts';
import type { Launch } from '../../plugins/triggers/job.ts';
import { readSchedules, runSchedules } from '../../plugins/triggers/schedules.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { hourly, midnight, minute, pass, type Rig, sessionsOf, withSchedule } from './schedule-rig.ts';

const silent = createLogger({ level: 'silent', format: 'text', write: () => {}, clock: systemClock });

const clocks = suite('A schedule fires at most once per minute, whatever happens');

clocks('a restart inside the minute does not fire again; what was missed is not made up for', async () => {
  const store = createMemoryStore();
  const next = (start: number, use: (rig: Rig) => Promise<void>) =>
    withSchedule({ schedules: [hourly] }, use, { start, store });
  await next(midnight - 10_000, async (rig) => {
    await pass(rig, 20_000, 1_000);
    assert.is((await sessionsOf(rig.app)).length, 1);
  });
  await next(midnight + 15_000, async (rig) => {
    await pass(rig, minute, 1_000);
    assert.is((await sessionsOf(rig.app)).length, 1);
    const { schedules: listed } = await rig.app.call<{ schedules: { last: { sessionId: string } }[] }>(
      'GET',
      '/api/triggers',
      {},
    );
    assert.is(listed[0]?.last.sessionId, (await sessionsOf(rig.app))[0]?.id);
  });
  // Down over 01:00, 02:00 and 03:00.
  await next(midnight + 185 * minute, async (rig) => {
    await pass(rig, 10 * minute);
    assert.is((await sessionsOf(rig.app)).length, 1);
  });
  // A minute that began while the service was down is still its minute.
  await next(midnight + 240 * minute + 5_000, async (rig) => {
    await pass(rig, 40_000, 1_000);
    assert.is((await sessionsOf(rig.app)).length, 2);
  });
});

clocks('a clock that is set back does not repeat what was fired', async () => {
  await withSchedule({ schedules: [hourly] }, async (rig) => {
    await pass(rig, 2 * minute);
    rig.clock.step(-60 * minute);
    await pass(rig, 65 * minute);
    assert.is((await sessionsOf(rig.app)).length, 1);
    await pass(rig, 60 * minute);
    assert.is((await sessionsOf(rig.app)).length, 2);
  });
});

clocks('a clock that is set forward does not make up for the minutes between', async () => {
  await withSchedule({ schedules: [hourly] }, async (rig) => {
    rig.clock.step(5 * 60 * minute + 2 * minute);
    await pass(rig, 10 * minute);
    assert.equal(await sessionsOf(rig.app), []);
    await pass(rig, 60 * minute);
    assert.is((await sessionsOf(rig.app)).length, 1);
  });
});

clocks('a clock that was ten years ahead for a while does not stop a schedule', async () => {
  const years = 3_652 * 1_440 * minute;
  await withSchedule({ schedules: [hourly] }, async (rig) => {
    rig.clock.step(years);
    await pass(rig, 5 * minute);
    assert.is((await sessionsOf(rig.app)).length, 1);
    rig.clock.step(-years);
    await pass(rig, 60 * minute);
    assert.is((await sessionsOf(rig.app)).length, 2);
  });
});

clocks('over any course of time, steps of the clock and restarts', async () => {
  const steps = fc.oneof(
    { weight: 8, arbitrary: fc.record({ advance: fc.integer({ min: 1, max: 5 * minute }) }) },
    { weight: 2, arbitrary: fc.record({ step: fc.integer({ min: -30 * minute, max: 30 * minute }) }) },
    { weight: 1, arbitrary: fc.constant({ restart: true }) },
  );
  const ticks = fc.integer({ min: 1_000, max: 200_000 });
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 40 }), ticks, async (course, tickMs) => {
      const clock = createFakeClock(midnight);
      const stored = new Map<string, string>();
      const state = {
        read: async (key: string) => stored.get(key),
        write: async (key: string, value: string) => void stored.set(key, value),
      };
      const fired: number[] = [];
      const launch: Launch = async () => {
        fired.push(Math.floor(clock.now() / minute));
        return { sessionId: 'ses_1', at: '', runId: 'run_1', outcome: Promise.resolve(undefined) };
      };
      const every = [{ ...hourly, cron: '* * * * *', tenant: 'default' }];
      const boot = async () =>
        runSchedules(await readSchedules(every, { state, log: silent }), { tickMs, clock, log: silent, launch });
      let stop = await boot();
      for (const move of course) {
        if ('advance' in move) clock.advance(move.advance);
        if ('step' in move) clock.step(move.step);
        await new Promise((resolve) => setImmediate(resolve));
        if (!('restart' in move)) continue;
        stop();
        stop = await boot();
      }
      stop();
      assert.is(new Set(fired).size, fired.length);
    }),
    { numRuns: 200 },
  );
});

clocks.run();
