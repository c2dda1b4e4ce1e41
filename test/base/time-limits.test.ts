import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { settledWithin, withinTime } from '../../lib/base/time-limits.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

const late = () => new Error('too late');
const never = new Promise<never>(() => {});

const limit = suite('Work within a time');

limit('gives what the work came to, and leaves no timer behind', async () => {
  const clock = createFakeClock();
  assert.is(await withinTime(clock, 100, { work: Promise.resolve('done'), late }), 'done');
  const failed = withinTime(clock, 100, { work: Promise.reject(new Error('own')), late });
  assert.is(await failed.catch((error: Error) => error.message), 'own');
  assert.is(clock.pending, 0);
});

limit('rejects when the time is over; what the work comes to later disturbs nobody', async () => {
  const clock = createFakeClock();
  let fail = (_: Error): void => {};
  const work = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const result = withinTime(clock, 100, { work, late }).catch((error: Error) => error.message);
  clock.advance(100);
  assert.is(await result, 'too late');
  fail(new Error('later'));
  await new Promise((resolve) => setImmediate(resolve));
});
limit.run();

const wait = suite('Waiting for work, but not for ever');

wait('tells whether it has settled, whichever way', async () => {
  const clock = createFakeClock();
  assert.is(await settledWithin(clock, 100, Promise.resolve()), true);
  assert.is(await settledWithin(clock, 100, Promise.reject(new Error('own'))), true);
  assert.is(clock.pending, 0);
  const waiting = settledWithin(clock, 100, never);
  clock.advance(100);
  assert.is(await waiting, false);
});
wait.run();
