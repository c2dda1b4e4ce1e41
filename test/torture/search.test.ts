import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commandLimits, searchFailures } from './machine/search.ts';
import type { Again } from './trial.ts';

const test = suite('a failure that was found and shrunk is seen again with the words that it printed');

interface Kitchen {
  pots: number;
  fire: boolean;
}
type Step = fc.AsyncCommand<Kitchen, Kitchen>;

/** Cooks until there are more pots than the stove holds while the fire burns; `isFlat` decides when it overflows. */
async function cook(seed: number, { again, isFlat = () => false }: { again?: Again; isFlat?: () => boolean } = {}) {
  const notes: string[] = [];
  let runs = 0;
  const steps = [
    step('pot', (kitchen) => {
      kitchen.pots += 1;
    }),
    step('spoon', () => undefined),
    step('fire', (kitchen) => {
      kitchen.fire = !kitchen.fire;
    }),
  ];
  // Like those of the trials: the commands lie in a record, beside values that shrink as well.
  const scenario = fc.record({ wanted: fc.nat(), list: fc.commands(steps, commandLimits(20, again)) });
  const property = fc.asyncProperty(scenario, async ({ list }) => {
    runs += 1;
    const kitchen: Kitchen = { pots: 0, fire: false };
    await fc.asyncModelRun(() => ({ model: kitchen, real: kitchen }), list);
    if (kitchen.pots > 2 && kitchen.fire && !isFlat()) throw new Error(`${kitchen.pots} pots on the fire`);
  });
  const found = await searchFailures(property, {
    name: 'kitchen',
    ms: 2_000,
    seed,
    again,
    note: (line) => notes.push(line),
    hasRun: () => runs > 0,
    rest: async () => undefined,
  });
  return { found, notes, runs };
}

test('the printed path runs that one failure, shrunk as it was, and nothing else', async () => {
  const { found } = await cook(5);
  assert.ok(found.length > 0);
  for (const failure of found) {
    const { seed, again } = wordsOf(failure);
    const once = await cook(seed, { again });
    assert.is(once.runs, 1);
    assert.is(once.found.length, 1);
    assert.is(once.found[0]?.split('\n')[0], failure.split('\n')[0]);
    assert.match(stepsIn(failure) ?? '', /pot.*pot.*pot.*fire|fire.*pot/);
    assert.is(stepsIn(once.found[0]), stepsIn(failure));
  }
});

test('a failure that does not come every time is tried again until it does', async () => {
  const { found } = await cook(5);
  const { seed, again } = wordsOf(found[0] ?? '');
  let tries = 0;
  const late = await cook(seed, { again, isFlat: () => ++tries < 4 });
  assert.is(late.runs, 4);
  assert.match(late.found[0] ?? '', /3 pots on the fire(.|\n)*at try 4 of the run/);
});

test('what is mended since breaks nothing, and that is said', async () => {
  const { found } = await cook(5);
  const { seed, again } = wordsOf(found[0] ?? '');
  const mended = await cook(seed, { again, isFlat: () => true });
  assert.equal(mended.found, []);
  assert.is(mended.notes.at(-1), `the run ${again.path} of seed ${seed} broke nothing`);
});

test('a path that this seed does not have is an answer, not a stack', async () => {
  for (const again of [
    { path: '0:9999', replayPath: '' },
    { path: 'no path', replayPath: '' },
    { path: '0:0:0:0', replayPath: 'A' },
  ])
    assert.equal((await cook(5, { again })).found, [
      `TORTURE_PATH=${again.path} is no run of --seed=5 as the trial is now`,
    ]);
});

test.run();

function step(name: string, act: (kitchen: Kitchen) => void): fc.Arbitrary<Step> {
  return fc.nat(9).map((size) => ({
    check: (kitchen) => kitchen.pots < 8 || name !== 'pot',
    run: async (kitchen) => act(kitchen),
    toString: () => `${name}(${size})`,
  }));
}

/** Without what says how to see them again. */
function stepsIn(failure = ''): string | undefined {
  return /^ {2}\[\{.*(?=\/\*)/m.exec(failure)?.[0];
}

/** What a shell would make of the printed line. */
function wordsOf(failure: string): { seed: number; again: Again } {
  const [, path = '', replayPath = '', seed] =
    /TORTURE_PATH=(\S+) TORTURE_REPLAY="([^"]*)" npm run torture -- --only=kitchen --seed=(-?\d+)$/m.exec(failure) ??
    [];
  return { seed: Number(seed), again: { path, replayPath } };
}
