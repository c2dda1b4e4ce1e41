import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createRandom, type Random } from '../helpers/random.ts';
import { trendOf } from './service/linear-trend.ts';
import { judgeMemory, type TimedSample } from './service/memory-watch.ts';

const test = suite('a soak tells a leak from noise');

const mebibyte = 1024 * 1024;

test('the slope of a line is exact, and has no margin', () => {
  const { slope = Number.NaN, margin = Number.NaN } = trendOf(points(20, (x) => 5 + 3 * x)) ?? {};
  assert.ok(Math.abs(slope - 3) < 1e-9 && margin < 1e-9, `${slope} ± ${margin}`);
});

test('fewer than ten points tell nothing', () => {
  assert.is(trendOf(points(9, (x) => x)), undefined);
});

for (const correlation of [0, 0.6, 0.9])
  test(`noise with a memory of ${correlation} holds its true slope within the margin, nearly always`, () => {
    const random = createRandom(7);
    const rounds = 400;
    let held = 0;
    for (let round = 0; round < rounds; round++) {
      const noise = noiseOf(random, correlation);
      const { slope, margin } = trendOf(points(200, (x) => 2 * x + 40 * noise())) ?? { slope: 0, margin: 0 };
      if (Math.abs(slope - 2) <= margin) held += 1;
    }
    assert.ok(held / rounds > 0.88, `${held} of ${rounds}`);
  });

test('a leak of 60 MiB an hour under noise of 2 MiB is reported after a quarter of an hour; no leak is not', () => {
  const random = createRandom(11);
  const leaking = judgeMemory(samples(900, { perHour: 60, noise: noiseOf(random, 0.5) }));
  assert.ok(
    leaking.leaks.some((text) => /^memory that is held grows by \+/.test(text)),
    leaking.leaks.join(),
  );
  const flat = judgeMemory(samples(900, { perHour: 0, noise: noiseOf(random, 0.5) }));
  assert.equal(flat.leaks, []);
  assert.match(flat.figures.held ?? '', /^\d+ MB, [+-]\d+\.\d ± \d+\.\d MiB\/h$/);
});

test('what is added ever more slowly while a process warms up is no leak', () => {
  const warming = samples(900, { perHour: 0, noise: () => 0 }).map((sample) => ({
    ...sample,
    heapUsed: sample.heapUsed + 8 * mebibyte * (1 - Math.exp(-sample.at / 120_000)),
  }));
  assert.equal(judgeMemory(warming).leaks, []);
});

test('descriptors that are never closed are reported too', () => {
  const { leaks } = judgeMemory(samples(300, { perHour: 0, noise: () => 0, descriptorsPerHour: 600 }));
  assert.equal(leaks.length, 1);
  assert.match(leaks[0] ?? '', /^the number of descriptors grows.* 10 are allowed and 10 once$/);
});

test('less than three minutes are too short for a slope, and say so', () => {
  const { leaks, figures } = judgeMemory(samples(100, { perHour: 6_000, noise: () => 0 }));
  assert.equal(leaks, []);
  assert.match(figures.held ?? '', 'too short for a slope');
  assert.match(judgeMemory([]).figures.held ?? '', 'too short for a slope');
});

test.run();

function points(count: number, y: (x: number) => number): [number, number][] {
  return Array.from({ length: count }, (_, x) => [x, y(x)]);
}

/** Each value resembles the one before it by `correlation`; its spread is one. */
function noiseOf(random: Random, correlation: number): () => number {
  let last = 0;
  return () => {
    const fresh = Array.from({ length: 12 }, () => random.next()).reduce((a, b) => a + b, -6);
    last = correlation * last + Math.sqrt(1 - correlation ** 2) * fresh;
    return last;
  };
}

interface Shape {
  perHour: number;
  noise(): number;
  descriptorsPerHour?: number;
}

/** One sample a second. */
function samples(seconds: number, { perHour, noise, descriptorsPerHour = 0 }: Shape): TimedSample[] {
  return Array.from({ length: seconds }, (_, second) => {
    const heapUsed = (40 + noise() * 2 + (perHour * second) / 3_600) * mebibyte;
    const descriptors = 30 + Math.floor((descriptorsPerHour * second) / 3_600);
    return { at: second * 1_000, heapUsed, external: mebibyte, rss: heapUsed + 60 * mebibyte, descriptors };
  });
}
