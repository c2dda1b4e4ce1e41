import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSequence } from '../../lib/events/sequence.ts';
import { fakeApp } from '../helpers/fake-app.ts';

const test = suite('Event sequence: every seq is above those of earlier processes');

test('the larger of the clock in microseconds and the mark, and nothing that is no number', async () => {
  const seedOf = async (mark: string | undefined): Promise<number> => {
    const meta = { readMeta: async () => mark, writeMeta: async () => undefined };
    return (await openSequence(meta, { now: () => 1_700_000_000_000 }, fakeApp().app.log)).seed;
  };
  assert.is(await seedOf(undefined), 1_700_000_000_000_000);
  assert.is(await seedOf('1800000000000000'), 1_800_000_000_000_000);
  for (const broken of ['', 'x', '-4', '1e300', 'NaN', String(Number.MAX_SAFE_INTEGER)])
    assert.is(await seedOf(broken), 1_700_000_000_000_000, broken);
});

test('a clock that steps back does not reuse numbers, and the mark stays ahead of what is used', async () => {
  const { app } = fakeApp();
  const stored = new Map<string, string>();
  const meta = {
    readMeta: async (key: string) => stored.get(key),
    writeMeta: async (key: string, value: string) => void stored.set(key, value),
  };
  let now = 1_700_000_000_000;
  const first = await openSequence(meta, { now: () => now }, app.log);
  let last = first.seed;
  for (; last < first.seed + 2_500_000; last += 1_000) first.used(last);
  assert.ok(Number(stored.get('events')) > last);
  now -= 3_600_000;
  const second = await openSequence(meta, { now: () => now }, app.log);
  assert.ok(second.seed > last);
});

test('a mark that cannot be stored is tried again and disturbs nobody', async () => {
  const { app, logged } = fakeApp();
  let writes = 0;
  const meta = {
    readMeta: async () => undefined,
    writeMeta: async () => {
      if (++writes > 1 && writes < 4) throw new Error('disk full');
    },
  };
  const sequence = await openSequence(meta, { now: () => 1 }, app.log);
  for (let i = 0; i < 2_000_000; i += 10_000) {
    sequence.used(sequence.seed + i);
    await Promise.resolve();
  }
  await new Promise(setImmediate);
  assert.ok(writes >= 4);
  assert.is(logged.length, 2);
});
test.run();
