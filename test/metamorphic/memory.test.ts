import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Seams } from '../torture/machine/seams.ts';
import type { WorldOptions } from '../torture/machine/world-options.ts';
import { type Answers, answersOf } from './answers.ts';
import { assertSame } from './compare.ts';
import { History } from './history.ts';
import { hold } from './hold.ts';
import { named } from './named.ts';
import { contextWindow, type Step, stepsOf } from './step.ts';

const test = suite('memory pressure changes nothing');

test('a service that keeps no transcript in memory answers as one that keeps all', () =>
  hold('memory', fc.record({ steps: stepsOf({ most: 40 }), contextWindow }), async ({ steps, contextWindow }) => {
    const roomy = await played(steps, { contextWindow }, {});
    const tight = await played(steps, { contextWindow }, { transcriptBytes: 1 });
    assert.equal(tight.outcomes, roomy.outcomes);
    assertSame(roomy.answers, tight.answers, 'a small memory');
  }));

test.run();

/** Between the steps more time goes by than a transcript is kept for whoever has just loaded it. */
async function played(
  steps: readonly Step[],
  options: Partial<WorldOptions>,
  seams: Seams,
): Promise<{ outcomes: string[]; answers: Answers }> {
  const history = await History.begin(options, seams);
  const { world } = history;
  try {
    const outcomes = await history.play(steps, async () => {
      world.clock.advance(10_001);
      await world.settle();
    });
    return { outcomes, answers: named(await answersOf(history)) };
  } finally {
    await world.close();
  }
}
