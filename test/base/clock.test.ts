import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../lib/base/clock.ts';

const hour = 3_600_000;
const day = 24 * hour;
const timers = suite('Timers of any length');

timers.before.each(() => mock.timers.enable({ apis: ['setTimeout'] }));
timers.after.each(() => mock.timers.reset());

timers('over 2^31-1 ms fire when their time has come: the platform alone would fire them at once', () => {
  let fired = 0;
  systemClock.after(60 * day, () => {
    fired += 1;
  });
  // A part that is armed in the middle of a tick begins at its end.
  for (let passed = 0; passed < 60 * 24 - 1; passed++) mock.timers.tick(hour);
  assert.is(fired, 0);
  for (let passed = 0; passed < 4; passed++) mock.timers.tick(hour);
  assert.is(fired, 1);
  mock.timers.tick(100 * day);
  assert.is(fired, 1);
});

timers('can be cancelled in any of their parts', () => {
  let fired = 0;
  const cancel = systemClock.after(60 * day, () => {
    fired += 1;
  });
  for (let passed = 0; passed < 30; passed++) mock.timers.tick(day);
  cancel();
  for (let passed = 0; passed < 60; passed++) mock.timers.tick(day);
  assert.is(fired, 0);
});

timers.run();

const real = suite('The machine clock');

real('does not take three thousand million milliseconds for one', async () => {
  let fired = false;
  const cancel = systemClock.after(3e9, () => {
    fired = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 30));
  cancel();
  assert.is(fired, false);
});

real('durations do not go back', () => {
  const seen = Array.from({ length: 1_000 }, () => systemClock.monotonic());
  assert.equal(
    seen,
    seen.toSorted((a, b) => a - b),
  );
});

real.run();
