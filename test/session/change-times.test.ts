import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createChangeTimes } from '../../lib/session/change-times.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';

const test = suite('every change of a tenant has a time of its own');

test('which is that of the clock, and one millisecond later than the last one when the clock has not moved on', () => {
  const clock = createFakeClock(5_000);
  const { next } = createChangeTimes(clock);
  assert.equal([next('a'), next('a'), next('b')], [5_000, 5_001, 5_000]);
  clock.advance(1);
  assert.is(next('a'), 5_002);
  clock.advance(10);
  assert.is(next('a'), 5_011);
});

test('which is later than what an earlier process stored, whatever the clock says now', () => {
  const { next, seen } = createChangeTimes(createFakeClock(5_000));
  seen('a', 9_000);
  seen('a', 8_000);
  assert.equal([next('a'), next('a')], [9_001, 9_002]);
});

test('which never goes back with the clock', () => {
  const clock = createFakeClock(5_000);
  const { next } = createChangeTimes(clock);
  next('a');
  clock.step(-4_000);
  assert.equal([next('a'), next('a')], [5_001, 5_002]);
});

test('which goes on a millisecond a change while the clock is behind a time it once said, and is its own when it has caught up', () => {
  const clock = createFakeClock(5_000);
  const { next, seen } = createChangeTimes(clock);
  const year = 365 * 86_400_000;
  seen('a', 5_000 + year);
  const times = Array.from({ length: 3_000 }, () => next('a'));
  assert.is(new Set(times).size, 3_000);
  assert.equal(times, times.toSorted());
  assert.is(times.at(-1), 5_000 + year + 3_000);
  clock.advance(year + 1_000);
  assert.is(next('a'), 5_000 + year + 3_000, 'no earlier one when the clock passes the first of them');
  clock.advance(5_000);
  assert.is(next('a'), clock.now());
});

test('which is at most 50 ms ahead of the clock, however many there are', () => {
  const clock = createFakeClock(5_000);
  const { next } = createChangeTimes(clock);
  const times = Array.from({ length: 3_000 }, () => next('a'));
  assert.is(times.at(-1), 5_050);
  assert.equal(times, times.toSorted());
  clock.advance(20);
  assert.is(next('a'), 5_051);
});

test.run();
