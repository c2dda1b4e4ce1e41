import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryDirectory } from '../helpers/memory-directory.ts';
import { sqlStore } from '../sql/sql-rig.ts';
import type { Seams } from '../torture/machine/seams.ts';
import type { WorldOptions } from '../torture/machine/world-options.ts';
import { type Answers, answersOf } from './answers.ts';
import { assertSame } from './compare.ts';
import { History } from './history.ts';
import { hold } from './hold.ts';
import { named } from './named.ts';
import { contextWindow, type Step, stepsOf } from './step.ts';

const test = suite('both drivers answer the same history alike');

/** Where a database lies, whichever life of the service opens it. */
function embedded(): Seams {
  const directory = memoryDirectory('sql');
  return { store: async () => sqlStore(directory, { durability: 'process' }) };
}

/** A database takes seconds to start: few histories, but long ones. */
const long = fc.record({ steps: stepsOf({ least: 20, most: 60 }), contextWindow });

test('while it happens and after a restart', () =>
  hold(
    'drivers',
    long,
    async ({ steps, contextWindow }) => {
      const file = await played(steps, { contextWindow }, {});
      const sql = await played(steps, { contextWindow }, embedded());
      assert.equal(sql.outcomes, file.outcomes);
      for (const [at, answers] of file.answers.entries())
        assertSame(answers, sql.answers[at] ?? new Map(), `the other driver, at moment ${at},`);
    },
    { least: 1 },
  ));

test.run();

/** The answers after each ten steps, at the end, and after a restart. */
async function played(
  steps: readonly Step[],
  options: Partial<WorldOptions>,
  seams: Seams,
): Promise<{ outcomes: string[]; answers: Answers[] }> {
  const history = await History.begin(options, seams);
  const answers: Answers[] = [];
  const look = async (): Promise<void> => void answers.push(named(await answersOf(history, ['a', 'b'])));
  try {
    const outcomes: string[] = [];
    for (let at = 0; at < steps.length; at += 10) {
      outcomes.push(...(await history.play(steps.slice(at, at + 10))));
      await look();
    }
    await history.world.restart();
    await look();
    return { outcomes, answers };
  } finally {
    await history.world.close();
  }
}
