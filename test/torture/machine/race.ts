import fc from 'fast-check';
import type { Asked } from '../invariants/history.ts';
import { allowedAnswers } from './allowed-answers.ts';
import { type Command, commandOf } from './command.ts';
import type { Machine } from './machine.ts';
import type { Kind } from './provider.ts';
import type { SessionModel } from './session-model.ts';
import type { Answer } from './world-options.ts';

const verbs = ['post', 'resume', 'cancel', 'patch', 'rewind', 'compact', 'repair', 'decide', 'delete'] as const;
/** What the provider, the tools and the clock do meanwhile. */
const progress = ['release', 'endTool', 'tick'] as const;
/** On another session of the tenant, for what the two share. */
const beside = ['postBeside', 'create'] as const;
type Move = (typeof verbs)[number] | (typeof progress)[number] | (typeof beside)[number];

/** One move, and after how many turns of the event loop it is made. */
interface Step {
  move: Move;
  turns: number;
}

interface Done {
  move: Move;
  answer: Answer;
  approvalId?: string | undefined;
}

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom<Move>(...verbs.filter((verb) => verb !== 'delete')) },
  { weight: 4, arbitrary: fc.constantFrom<Move>(...progress) },
  { weight: 2, arbitrary: fc.constantFrom<Move>(...beside) },
  { weight: 1, arbitrary: fc.constant<Move>('delete') },
);
const turns = fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(8) });
const stepsOf = (one: fc.Arbitrary<Move>): fc.Arbitrary<Step[]> =>
  fc.array(fc.record({ move: one, turns }, { noNullPrototype: true }), { minLength: 2, maxLength: 6 });
/** Of everything a little, or a few moves against each other again and again. */
const steps = fc.oneof(
  stepsOf(move),
  fc
    .subarray<Move>([...verbs, 'release', 'postBeside'], { minLength: 1, maxLength: 3 })
    .chain((few) => stepsOf(fc.constantFrom(...few))),
);

/** What the run of the session waits for when the race begins, if it has none yet. */
const resting = fc.constantFrom<Kind | undefined>(undefined, undefined, 'ask', 'ask', 'slow', 'hold', 'drip', 'busy');

export const raceCommand: fc.Arbitrary<Command> = commandOf({
  name: 'race',
  args: fc.record({ session: fc.nat(3), rest: resting, steps }),
  when: (model) => model.living().length > 0,
  async run(machine, args) {
    const target = pick(machine, args.session);
    if (args.rest !== undefined) await bringTo(machine, target, args.rest);
    machine.model.races += 1;
    const before = { active: target.busy, facts: machine.world.facts.length };
    const other = neighbour(machine, target);
    const done = await Promise.all(start(machine, { target, other }, args.steps));
    await machine.world.settle();
    check(machine, target, { ...before, done });
    const hasTicked = args.steps.some((step) => step.move === 'tick');
    const touched = hasTicked ? machine.model.sessions : [target, ...(other ? [other] : [])];
    await comeToRest(machine, touched);
  },
});

/** The same, and in the middle of it the process ends. */
export const crashInRace: fc.Arbitrary<Command> = commandOf({
  name: 'crashInRace',
  args: fc.record({ session: fc.nat(3), rest: resting, steps, turns: fc.nat(40) }),
  when: (model) => model.living().length > 0,
  async run(machine, args) {
    const { world, model } = machine;
    const target = pick(machine, args.session);
    if (args.rest !== undefined) await bringTo(machine, target, args.rest);
    const known = args.steps.filter((step) => step.move !== 'create');
    const answers = start(machine, { target, other: neighbour(machine, target) }, known);
    await pass(args.turns);
    await world.crash();
    await Promise.all(answers);
    for (const session of model.sessions) await machine.adopt(session);
  },
});

function pick({ model }: Machine, number: number): SessionModel {
  const living = model.living();
  const found = living[number % living.length];
  if (!found) throw new Error('There is no session.');
  return found;
}

/** Starts a run that waits for the model, a tool, a person or a retry, unless one is active or the quota refuses it. */
async function bringTo(machine: Machine, target: SessionModel, kind: Kind): Promise<void> {
  if (target.busy || machine.overQuota(target.tenantId)) return;
  machine.expect('post', await machine.post(target, [kind, kind, kind]), '202');
  target.start([kind, kind, kind], true);
  await machine.compare();
}

/** Another session of the tenant that is free. */
function neighbour({ model }: Machine, target: SessionModel): SessionModel | undefined {
  return model.living(target.tenantId).find((session) => session !== target && !session.busy);
}

/** Makes every move at its time. Runs that start meanwhile wait for the model, so that none ends by itself. */
function start(
  machine: Machine,
  { target, other }: { target: SessionModel; other: SessionModel | undefined },
  list: readonly Step[],
): Promise<Done>[] {
  const { world, model } = machine;
  world.provider.plan(target.id, ['hold', 'hold', 'hold']);
  if (other) world.provider.plan(other.id, ['hold', 'hold', 'hold']);
  const shown = model.shown.get(target.id);
  const approvalId = shown?.pendingApprovals[0]?.id;
  const messageId = shown?.messages.findLast(({ role }) => role === 'user')?.id ?? 'msg_unknown';
  const lives = world.lives;
  return list.map(async ({ move, turns }): Promise<Done> => {
    await pass(turns);
    if (world.lives !== lives) return { move, answer: nothing };
    const content = machine.newText();
    const ask = (asked: Asked, body?: object) => machine.ask(target, asked, body);
    if (move === 'post') return { move, answer: await ask({ verb: 'post', content }, { content }) };
    if (move === 'postBeside') {
      if (!other) return { move, answer: nothing };
      return { move, answer: await machine.ask(other, { verb: 'post', content }, { content }) };
    }
    if (move === 'create') return { move, answer: await machine.create(target.tenantId) };
    if (move === 'patch') return { move, answer: await ask({ verb: 'patch' }, { title: content }) };
    if (move === 'rewind') return { move, answer: await ask({ verb: 'rewind', messageId }, { messageId }) };
    if (move === 'decide') {
      if (approvalId === undefined) return { move, answer: nothing };
      const approved = turns % 2 === 0;
      return { move, approvalId, answer: await ask({ verb: 'decide', approvalId, approved }, { approved }) };
    }
    if (move === 'tick') world.clock.advance(10_000);
    else if (move === 'release') world.provider.release(target.id, 'text');
    else if (move === 'endTool') world.tools.release(target.id);
    else return { move, answer: await ask({ verb: move }) };
    return { move, answer: nothing };
  });
}

const nothing: Answer = { status: 0, code: undefined, body: {} };

const allowed: Partial<Record<Move, readonly string[]>> = {
  ...allowedAnswers,
  postBeside: allowedAnswers.post ?? [],
};

/** The race rules: whoever came first, the answers must fit one order of the moves. */
function check(
  { world }: Machine,
  target: SessionModel,
  { active, facts, done }: { active: boolean; facts: number; done: readonly Done[] },
): void {
  const told = done.map(({ move, answer }) => `${move} ${answer.status} ${answer.code ?? ''}`.trim()).join(', ');
  const fail = (text: string): never => {
    throw new Error(`${text} (session ${active ? 'active' : 'at rest'}): ${told}`);
  };
  const count = (test: (one: Done) => boolean): number => done.filter(test).length;
  const isOk = ({ answer }: Done): boolean => answer.status >= 200 && answer.status < 300;
  const isDeleted = done.some((one) => one.move === 'delete' && isOk(one));
  for (const { move, answer } of done) {
    const got = [answer.status, answer.code].filter(Boolean).join(' ');
    const gone = isDeleted && got === '404 session_not_found';
    if (answer !== nothing && !gone && !(allowed[move] ?? []).includes(got)) fail(`${move} answered ${got}`);
  }
  const cancelled = count(({ move, answer }) => move === 'cancel' && answer.body.cancelled === true);
  const moved = count(({ move }) => move === 'decide' || progress.some((name) => name === move));
  const started = count((one) => (one.move === 'post' || one.move === 'resume') && isOk(one));
  if (started > (active ? 0 : 1) + cancelled + moved) fail(`${started} runs were accepted`);
  const ended = world.facts
    .slice(facts)
    .filter((fact) => fact.kind === 'event' && isCancelledRun(fact.envelope.event, target.id)).length;
  // A compaction by hand can be cancelled too, and leaves no event.
  const compactions = count((one) => one.move === 'compact' && isOk(one));
  if (!isDeleted && (cancelled > ended + compactions || ended > cancelled))
    fail(`${cancelled} cancellations were confirmed, ${ended} runs were cancelled`);
  if (count((one) => one.move === 'decide' && isOk(one)) > 1) fail('an approval was decided twice');
  if (count((one) => one.move === 'delete' && isOk(one)) > 1) fail('a session was deleted twice');
  const posts = done.filter(({ move }) => move === 'post');
  const holders = count((one) => ['post', 'resume', 'rewind', 'compact', 'repair'].includes(one.move) && isOk(one));
  if (!active && posts.length > 0 && posts.every(({ answer }) => answer.status === 409) && holders === 0)
    fail('nobody won');
}

function isCancelledRun(event: { type: string; sessionId?: string; status?: string }, sessionId: string): boolean {
  return event.type === 'run.finished' && event.status === 'cancelled' && event.sessionId === sessionId;
}

/** Ends what still runs and takes over what came of it. */
async function comeToRest(machine: Machine, touched: readonly SessionModel[]): Promise<void> {
  const { world } = machine;
  for (const session of touched) {
    await machine.ask(session, { verb: 'cancel' });
    await world.settle();
    await machine.adopt(session);
  }
}

async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}
