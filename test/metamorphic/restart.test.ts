import fc from 'fast-check';
import { suite } from 'uvu';
import type { Answers } from './answers.ts';
import { answersOf } from './answers.ts';
import { assertSame } from './compare.ts';
import { History } from './history.ts';
import { hold } from './hold.ts';
import { allowed } from './next-process.ts';
import { contextWindow, stepsOf } from './step.ts';

const test = suite('a restart changes nothing that is durable');

const end = fc.constantFrom<('restart' | 'crash')[]>(['restart'], ['crash'], ['crash', 'crash'], ['restart', 'crash']);

for (const checkpoints of [false, true])
  test(`when no run is active, ${checkpoints ? 'with' : 'without'} checkpoints`, () =>
    hold(
      `restart at rest, checkpoints ${checkpoints}`,
      fc.record({ steps: stepsOf(), end, contextWindow }),
      async ({ steps, end, contextWindow }) => {
        const history = await History.begin({ checkpoints, contextWindow });
        try {
          await history.play(steps);
          await history.cancelAll();
          const before = await answersOf(history);
          for (const how of end) {
            await history.world[how]();
            assertSame(before, await answersOf(history), how, allowed);
          }
        } finally {
          await history.world.close();
        }
      },
    ));

test('when runs are active: theirs are interrupted, all else stays, and the next restart changes nothing', () =>
  hold(
    'restart during runs',
    fc.record({ steps: stepsOf(), end }),
    async ({ steps, end: [how = 'crash', next = how] }) => {
      const history = await History.begin();
      const { world } = history;
      try {
        await history.play(steps);
        const busy = history.sessions.filter(
          ({ id }) => world.life.app.sessions.findAny(id)?.activeRunId !== undefined,
        );
        const busyIds = busy.map(({ id }) => id);
        const before = await answersOf(history);
        await world[how]();
        const after = await answersOf(history);
        assertSame(without(before, busyIds), without(after, busyIds), how, allowed);
        await world[next]();
        assertSame(after, await answersOf(history), `after ${how}, ${next}`, allowed);
      } finally {
        await world.close();
      }
    },
  ));

test.run();

/** What is said of other sessions: those lists without the busy ones, and no pages, which they may have left. */
function without(answers: Answers, ids: readonly string[]): Answers {
  if (ids.length === 0) return answers;
  const rest: Answers = new Map();
  for (const [asked, answer] of answers) {
    if (ids.some((id) => asked.includes(id)) || /limit=|page|status=|usage|search|approvals/.test(asked)) continue;
    const isList = asked.endsWith('/api/sessions') || asked.includes('/api/sessions?');
    rest.set(asked, isList ? listWithout(answer, ids) : withoutApprovals(answer));
  }
  return rest;
}

/** Who has a busy sub-agent shows what that one asks. */
function withoutApprovals(answer: string): string {
  return answer.replace(/"pendingApprovals":\[.*\],"lastSeq"/, '"pendingApprovals":[],"lastSeq"');
}

function listWithout(answer: string, ids: readonly string[]): string {
  const at = answer.indexOf('{');
  const { sessions } = JSON.parse(answer.slice(at)) as { sessions?: { id: string }[] };
  return sessions ? JSON.stringify(sessions.filter(({ id }) => !ids.includes(id))) : answer;
}
