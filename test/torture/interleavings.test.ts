import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runTrial } from './run-trial.ts';
import { acknowledgesTooEarly, checksTooEarly } from './schedule/flaws.ts';
import { type Played, playSteered, steeredMoves, steeredOptions } from './schedule/play.ts';
import { type Flaws, orders } from './schedule/steered-world.ts';

import { tableOf } from './table.ts';
import { interleavings } from './trials/interleavings.ts';

const test = suite('every order in which requests, models, tools and the disk can come is one of a seed');

interface Exploration {
  seed: number;
  numRuns: number;
  flaws?: Flaws;
  /** One failure again: which run, and what it was shrunk to. */
  replay?: { path: string; replayPath: string };
}

/** The worlds of one seed in the order in which they were drawn, those of shrinking included. */
async function explore({ seed, numRuns, flaws, replay }: Exploration) {
  const played: Played[] = [];
  const limits = { maxCommands: 25, size: 'max', ...(replay && { replayPath: replay.replayPath }) } as const;
  const property = fc.asyncProperty(steeredOptions, steeredMoves(limits), orders, async (options, list, order) => {
    const one = await playSteered(options, list, { order, ...(flaws && { flaws }) });
    played.push(one);
    if (one.broken.length > 0) throw new Error(one.broken.join('\n'));
  });
  const details = await fc.check(property, { seed, numRuns, ...(replay && { path: replay.path }) });
  return { played, details };
}

test('the same seed draws the same order, step by step and fact by fact', async () => {
  const first = await explore({ seed: 11, numRuns: 8 });
  const second = await explore({ seed: 11, numRuns: 8 });
  assert.is(first.details.failed, false, String(first.details.errorInstance));
  assert.is(firstDifference(first.played, second.played), undefined);
  assert.is.not(firstDifference(first.played, (await explore({ seed: 12, numRuns: 8 })).played), undefined);
});

for (const [what, flaws, breach] of [
  ['a check that is not in the tick of its claim', checksTooEarly, /I1 /],
  ['an acknowledgement before the sync', acknowledgesTooEarly, /I(2|12|16) /],
] as const)
  test(`${what} is found, shrunk to a few moves, and found again from its path`, async () => {
    const { details } = await explore({ seed: 3, numRuns: 400, flaws });
    assert.ok(details.failed && details.counterexample, 'it was not found');
    const why = withoutIds(String(details.errorInstance));
    const shown = fc.stringify(details.counterexample);
    const moves = [...details.counterexample[1]].length;
    console.log(`\nFIGURE ${what}: world ${details.numRuns}, shrunk ${details.numShrinks} times to ${moves} moves`);
    assert.match(why, breach);
    // What else comes about changes the order, so that not all of it can go.
    assert.ok(moves <= 8, shown);
    const path = details.counterexamplePath ?? '';
    const replayPath = JSON.parse(/replayPath=("[^"]*")/.exec(shown)?.[1] ?? '""');
    const again = await explore({ seed: 3, numRuns: 1, flaws, replay: { path, replayPath } });
    assert.is(withoutIds(String(again.details.errorInstance)), why);
  });

test('other seeds keep every promise too', async () => {
  const seed = Number(process.env.TORTURE_SEED ?? Date.now() % 1e9);
  const seconds = Number(process.env.INTERLEAVINGS_SECONDS ?? 4);
  const outcome = await runTrial(interleavings, { ms: seconds * 1_000, seed, say: (line) => console.log(line) });
  console.log(tableOf([outcome]).join('\n'));
  assert.equal(outcome.result.violations, []);
  assert.ok(outcome.result.cycles > 0);
});

test.run();

function withoutIds(text: string): string {
  return text.replace(/_[0-9A-Z]{26}/g, '_');
}

/** Where two explorations part, in words. */
function firstDifference(first: readonly Played[], second: readonly Played[]): string | undefined {
  const linesOf = (all: readonly Played[]): string[] => all.flatMap(({ trace }) => ['a fresh world', ...trace]);
  const [these, those] = [linesOf(first), linesOf(second)];
  const at = [...these, ''].findIndex((line, index) => line !== (those[index] ?? ''));
  if (at < 0 || these.join('\n') === those.join('\n')) return undefined;
  return `${these[at]} or ${those[at]}, after ${these.slice(Math.max(0, at - 5), at).join(' | ')}`;
}
