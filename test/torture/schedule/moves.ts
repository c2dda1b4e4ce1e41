import fc from 'fast-check';
import type { Fact } from '../invariants/history.ts';
import type { ServiceModel } from '../machine/machine.ts';
import { plan } from '../machine/run-commands.ts';
import type { SteeredWorld } from './steered-world.ts';

export type Move = fc.AsyncCommand<ServiceModel, SteeredWorld>;

const session = fc.nat(2);

export const posting = move('post', fc.record({ session, plan }), (steered, args) => {
  const { machine } = steered;
  const target = steered.session(args.session);
  const content = machine.newText();
  machine.world.provider.plan(target.id, args.plan);
  steered.send(target, { verb: 'post', content }, { content });
});

const resuming = move('resume', fc.record({ session, plan }), (steered, args) => {
  const target = steered.session(args.session);
  steered.world.provider.plan(target.id, args.plan);
  steered.send(target, { verb: 'resume' });
});

const cancelling = simple('cancel');

const deciding = move('decide', fc.record({ session, approved: fc.boolean() }), (steered, { session, approved }) => {
  const target = steered.session(session);
  const asked = steered.world.facts.findLast(
    (fact) => isEvent(fact, 'approval.requested') && fact.envelope.event.sessionId === target.id,
  );
  if (!asked || !isEvent(asked, 'approval.requested')) return;
  const { approvalId } = { approvalId: asked.envelope.event.approval.id };
  steered.send(target, { verb: 'decide', approvalId, approved }, { approved });
});

/** To one of the last messages of a person that the events told of. */
const rewinding = move('rewind', fc.record({ session, back: fc.nat(3) }), (steered, { session, back }) => {
  const target = steered.session(session);
  const told = steered.world.facts.flatMap((fact) =>
    isEvent(fact, 'message.completed') && fact.envelope.event.sessionId === target.id
      ? [fact.envelope.event.message]
      : [],
  );
  const messageId = told.filter(({ role }) => role === 'user').at(-1 - back)?.id ?? 'msg_unknown';
  steered.send(target, { verb: 'rewind', messageId }, { messageId });
});

const patching = move('patch', session, (steered, number) =>
  steered.send(steered.session(number), { verb: 'patch' }, { title: steered.machine.newText() }),
);

const creating = move('create', fc.constantFrom('a' as const, 'b' as const), (steered, tenant) =>
  steered.create(tenant),
);

const ticking = move('tick', fc.constantFrom(1_000, 10_000, 61_000), ({ world }, ms) => world.clock.advance(ms));

const watching = move('watch', session, async (steered, number) => {
  const { tenantId, id } = steered.session(number);
  if (steered.world.streams.count < 3) await steered.world.streams.subscribe(tenantId, id);
});

const returning = move('reconnect', fc.nat(2), ({ world }, number) => world.streams.reconnect(number));

/** The process ends; some of what was on its way is on the disk all the same. */
export const crashing = move('crash', fc.nat(5), (steered, survivors) => steered.crash(survivors));

/** By weight: what starts and ends runs most. */
export const moves: readonly fc.Arbitrary<Move>[] = [
  ...[posting, posting, posting, posting],
  ...[resuming, resuming, cancelling, cancelling, deciding, deciding],
  ...[rewinding, patching, simple('compact'), simple('repair'), creating],
  ...[ticking, ticking, watching, returning, crashing, simple('delete')],
];

/** Something that a client, the clock or fate does. It is over as soon as it is begun. */
function move<Args>(
  name: string,
  args: fc.Arbitrary<Args>,
  run: (steered: SteeredWorld, args: Args) => void | Promise<void>,
): fc.Arbitrary<Move> {
  return args.map((values) => ({
    check: () => true,
    async run(model, steered) {
      model.commands += 1;
      await run(steered, values);
    },
    toString: () => `${name}(${fc.stringify(values)})`,
  }));
}

function simple(verb: 'cancel' | 'compact' | 'repair' | 'delete'): fc.Arbitrary<Move> {
  return move(verb, session, (steered, number) => steered.send(steered.session(number), { verb }));
}

type EventFact<Type extends string> = Extract<Fact, { kind: 'event' }> & {
  envelope: { event: Extract<Extract<Fact, { kind: 'event' }>['envelope']['event'], { type: Type }> };
};

function isEvent<Type extends string>(fact: Fact, type: Type): fact is EventFact<Type> {
  return fact.kind === 'event' && fact.envelope.event.type === type;
}
