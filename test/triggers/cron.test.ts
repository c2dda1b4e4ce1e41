import { Cron } from 'croner';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseCron } from '../../plugins/triggers/cron.ts';

const runs = Number(process.env.CRON_RUNS ?? 2_000);
const at = (iso: string): number => Date.parse(`${iso}Z`);
const iso = (ms: number | undefined): string => (ms === undefined ? 'never' : new Date(ms).toISOString().slice(0, 16));

/** The next matching minutes after a moment. */
function nextOf(expression: string, after: string, count = 3): string[] {
  const times = parseCron(expression);
  const found: string[] = [];
  let last = at(after);
  for (let index = 0; index < count; index++) {
    const next = times.next(last);
    found.push(iso(next));
    if (next === undefined) break;
    last = next;
  }
  return found;
}

const meaning = suite('Five-field cron in UTC');

for (const [expression, after, ...expected] of [
  ['* * * * *', '2026-01-01T00:00:30', '2026-01-01T00:01', '2026-01-01T00:02', '2026-01-01T00:03'],
  ['*/15 * * * *', '2026-01-01T00:31', '2026-01-01T00:45', '2026-01-01T01:00', '2026-01-01T01:15'],
  ['0-30/10 8 * * *', '2026-01-01T08:10', '2026-01-01T08:20', '2026-01-01T08:30', '2026-01-02T08:00'],
  ['5,10-12 0 * * *', '2026-01-01T00:05', '2026-01-01T00:10', '2026-01-01T00:11', '2026-01-01T00:12'],
  ['0 0 29 2 *', '2026-01-01T00:00', '2028-02-29T00:00', '2032-02-29T00:00', '2036-02-29T00:00'],
  ['0 0 29 2 *', '2096-03-01T00:00', '2104-02-29T00:00', '2108-02-29T00:00', '2112-02-29T00:00'],
  ['0 0 31 * *', '2026-01-31T00:00', '2026-03-31T00:00', '2026-05-31T00:00', '2026-07-31T00:00'],
  // Both day fields: either fires. The 13th of March 2026 is a Friday.
  ['0 0 13 * 5', '2026-03-06T00:00', '2026-03-13T00:00', '2026-03-20T00:00', '2026-03-27T00:00'],
  ['0 0 15 * 5', '2026-03-13T00:00', '2026-03-15T00:00', '2026-03-20T00:00', '2026-03-27T00:00'],
  ['0 0 * * 0', '2026-03-01T00:00', '2026-03-08T00:00', '2026-03-15T00:00', '2026-03-22T00:00'],
  ['0 0 * * 7', '2026-03-01T00:00', '2026-03-08T00:00', '2026-03-15T00:00', '2026-03-22T00:00'],
  // 7 is Sunday, and so is 0: a range may begin with it and end with it.
  ['0 0 * * 7-1', '2026-03-01T00:00', '2026-03-02T00:00', '2026-03-08T00:00', '2026-03-09T00:00'],
  ['0 0 * * 6-7', '2026-03-01T00:00', '2026-03-07T00:00', '2026-03-08T00:00', '2026-03-14T00:00'],
  // A field that names every day restricts nothing.
  ['0 0 15 * 0-6', '2026-03-01T00:00', '2026-03-15T00:00', '2026-04-15T00:00', '2026-05-15T00:00'],
  ['30 2 29 3 *', '2026-01-01T00:00', '2026-03-29T02:30', '2027-03-29T02:30', '2028-03-29T02:30'],
  ['0 9 * jan MON', '2026-01-01T00:00', '2026-01-05T09:00', '2026-01-12T09:00', '2026-01-19T09:00'],
] as const)
  meaning(`"${expression}" after ${after}`, () => {
    assert.equal(nextOf(expression, after), expected);
  });

meaning('the days of the week are those of UTC wherever the service runs', () => {
  const times = parseCron('30 23 * * 6');
  assert.ok(times.matches(at('2026-03-07T23:30:59')));
  assert.not.ok(times.matches(at('2026-03-08T23:30:00')));
});

meaning.run();

const strict = suite('An expression that could be misread is refused');

for (const expression of [
  ...['', '* * * *', '* * * * * *', '0 0 12 * * ?', '@daily', '@reboot'],
  ...['60 * * * *', '* 24 * * *', '* * 0 * *', '* * 32 * *', '* * * 0 *', '* * * 13 *', '* * * * 8', '-1 * * * *'],
  ...['5abc * * * *', '5/10 * * * *', '1.5 * * * *', '* * 5L * *', '* * * * 6#3', '* * 15W * *', '* * L * *'],
  ...['1-2-3 * * * *', '0x10 * * * *', '*/100 * * * *', '*/0 * * * *', '*/ * * * *', '1, * * * *', ',1 * * * *'],
  ...[
    '30-10 * * * *',
    '7-1 * * * *',
    '0 22-6 * * *',
    '0 0 * * 5-1',
    '* * * foo *',
    '1-* * * * *',
    '*-5 * * * *',
    '** * * * *',
    '1e1 * * * *',
    '0 0 30 2 *',
    '0 0 31 4,6 *',
  ],
])
  strict(`"${expression}"`, () => {
    assert.throws(
      () => parseCron(expression),
      (error: Error) => error.message.length > 10,
    );
  });

strict.run();

const oracle = suite('Agrees with another implementation');

function fieldOf(least: number, most: number): fc.Arbitrary<string> {
  const value = fc.integer({ min: least, max: most });
  const range = fc.tuple(value, value).map((pair) => pair.toSorted((a, b) => a - b).join('-'));
  const step = fc.integer({ min: 2, max: most });
  const item = fc.oneof(
    value.map(String),
    range,
    fc.tuple(range, step).map((parts) => parts.join('/')),
    step.map((every) => `*/${every}`),
  );
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant('*') },
    { weight: 3, arbitrary: fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(',')) },
  );
}

const expressions = fc
  .tuple(fieldOf(0, 59), fieldOf(0, 23), fieldOf(1, 31), fieldOf(1, 12), fieldOf(0, 7))
  .map((parts) => parts.join(' '));

/** The other one takes "every day, spelt out" for a restriction; ours does not, see above. */
function spellsOutEveryDay(expression: string): boolean {
  const [, , days = '', , weekdays = ''] = expression.split(' ');
  const { length } = daysOf(`0 0 ${days} * *`, 31);
  return (days !== '*' && length === 31) || (weekdays !== '*' && daysOf(`0 0 * * ${weekdays}`, 7).length === 7);
}

/** Which of the first days of a long month, in a year whose January begins on a Sunday, match. */
function daysOf(expression: string, count: number): number[] {
  const times = parseCron(expression);
  return Array.from({ length: count }, (_, day) => day).filter((day) => times.matches(Date.UTC(2023, 0, 1 + day)));
}

oracle(`over ${runs} random expressions, from random moments of two centuries`, () => {
  const moments = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2190, 0) });
  const compared = { matching: 0, never: 0 };
  fc.assert(
    fc.property(expressions, moments, (expression, moment) => {
      const other = new Cron(expression, { timezone: 'UTC', mode: '5-part' });
      const theirs = other.nextRuns(4, new Date(moment)).map((date) => iso(date.getTime()));
      if (theirs.length === 0) {
        compared.never += 1;
        return assert.throws(() => parseCron(expression), /no date/);
      }
      fc.pre(!spellsOutEveryDay(expression));
      compared.matching += 1;
      const ours = nextOf(expression, new Date(moment).toISOString().slice(0, -1), theirs.length);
      assert.equal(ours, theirs, expression);
      for (const next of ours) assert.ok(parseCron(expression).matches(at(next)), `${expression} at ${next}`);
    }),
    { numRuns: runs },
  );
  assert.ok(compared.matching > runs / 2, JSON.stringify(compared));
});

oracle('every minute of random days is matched or not alike', () => {
  const days = fc.integer({ min: 10_000, max: 70_000 });
  fc.assert(
    fc.property(expressions, days, (expression, day) => {
      const start = day * 86_400_000;
      const other = new Cron(expression, { timezone: 'UTC', mode: '5-part' });
      const first = other.nextRun(new Date(start - 1));
      fc.pre(first !== null && !spellsOutEveryDay(expression));
      const times = parseCron(expression);
      const ours = Array.from({ length: 1_440 }, (_, minute) => start + minute * 60_000).filter(times.matches);
      const theirs = other
        .nextRuns(1_440, new Date(start - 1))
        .map((date) => date.getTime())
        .filter((ms) => ms < start + 86_400_000);
      assert.equal(ours, theirs, expression);
    }),
    { numRuns: Math.ceil(runs / 100) },
  );
});

oracle.run();
