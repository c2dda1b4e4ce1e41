import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answers, answersOf } from './answers.ts';
import { assertSame } from './compare.ts';
import { History } from './history.ts';
import { hold } from './hold.ts';
import { named } from './named.ts';
import { type Step, stepsOf } from './step.ts';

const test = suite('memory pressure changes nothing');

test('a service that keeps no transcript in memory answers as one that keeps all', () =>
  hold('memory', stepsOf({ most: 40 }), async (steps) => {
    const roomy = await played(steps, undefined);
    const tight = await played(steps, 1);
    assert.equal(tight.outcomes, roomy.outcomes);
    assertSame(roomy.answers, tight.answers, 'a small memory');
  }));

test.run();

/** Between the steps more time goes by than a transcript is kept for whoever has just loaded it. */
async function played(
  steps: readonly Step[],
  transcriptBytes: number | undefined,
): Promise<{ outcomes: string[]; answers: Answers }> {
  const history = await History.begin({}, transcriptBytes === undefined ? {} : { transcriptBytes });
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
