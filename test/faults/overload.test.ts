import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { watchEventLoop } from '../../host/watch-event-loop.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { withApp } from '../helpers/with-app.ts';

/** A clock whose timers come as late as an event loop that is held up. */
function lateClock() {
  const clock = createFakeClock();
  let late = 0;
  return {
    ...clock,
    /** Timers that are armed from now on. */
    heldUp(ms: number) {
      late = ms;
    },
    after: (ms: number, fn: () => void) => clock.after(ms + late, fn),
  };
}

const lag = suite('An event loop more than 500 ms late for 2 s is overloaded');

lag('one long stall is not, however long', () => {
  const clock = lateClock();
  clock.heldUp(30_000);
  const watch = watchEventLoop(clock, 500);
  clock.heldUp(0);
  clock.advance(30_500);
  assert.is(watch.overloaded(), false);
  clock.advance(10_000);
  assert.is(watch.overloaded(), false);
});

lag('lateness of 500 ms is not, of 501 ms for two seconds is, until the first tick on time', () => {
  for (const [late, expected] of [
    [500, false],
    [501, true],
  ] as const) {
    const clock = lateClock();
    clock.heldUp(late);
    const watch = watchEventLoop(clock, 500);
    clock.advance(1_100);
    assert.is(watch.overloaded(), false);
    clock.advance(3_000);
    assert.is(watch.overloaded(), expected);
    clock.heldUp(0);
    clock.advance(2_000);
    assert.is(watch.overloaded(), false);
    watch.stop();
    assert.is(clock.pending, 0);
  }
});

lag('steps of the wall clock are none', () => {
  const clock = lateClock();
  const watch = watchEventLoop(clock, 500);
  for (const step of [3_600_000, -7_200_000, 315_576_000_000]) {
    clock.step(step);
    clock.advance(5_000);
    assert.is(watch.overloaded(), false);
  }
});

lag('with a limit of 0 nobody looks', () => {
  const clock = lateClock();
  const watch = watchEventLoop(clock, 0);
  assert.equal([clock.pending, watch.overloaded()], [0, false]);
});

lag.run();

const guard = suite(
  'Overloaded: new sessions and runs are refused with 429 and Retry-After, everything else is answered',
);

guard('and it passes by itself', () => {
  const clock = lateClock();
  return withApp({ clock, models: [scriptedModel()] }, async (app) => {
    const session = await app.newSession();
    clock.heldUp(1_000);
    clock.advance(6_000);
    for (const path of ['/api/sessions', `/api/sessions/${session.id}/messages`]) {
      const refused = await app.fetch(path, { method: 'POST', body: '{"content":"hi"}' });
      assert.is(refused.status, 429);
      assert.is(refused.headers.get('retry-after'), '5');
      const { error } = (await refused.json()) as { error: { code: string } };
      assert.is(error.code, 'overloaded');
    }
    assert.equal((await app.detail(session.id)).messages, []);
    await app.call('PATCH', `/api/sessions/${session.id}`, { body: { title: 'Renamed' } });
    clock.heldUp(0);
    clock.advance(5_000);
    await app.newSession();
    await app.call('DELETE', `/api/sessions/${session.id}`, { status: 204 });
  });
});

guard('server.overloadLagMs moves the limit', () => {
  const clock = lateClock();
  const settings = { server: { overloadLagMs: 5_000 } };
  return withApp({ clock, settings }, async (app) => {
    clock.heldUp(4_000);
    clock.advance(30_000);
    await app.newSession();
    clock.heldUp(6_000);
    clock.advance(30_000);
    await app.call('POST', '/api/sessions', { status: 429 });
  });
});

guard.run();
