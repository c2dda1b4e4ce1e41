import fc from 'fast-check';
import { type Command, commandOf, notFound, refusal, requestOf } from './command.ts';
import type { Machine } from './machine.ts';
import { callings, endings, failures, type Kind, pausing } from './provider.ts';
import type { SessionModel } from './session-model.ts';

const session = fc.nat(3);
const kind: fc.Arbitrary<Kind> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Kind>(...endings) },
  { weight: 5, arbitrary: fc.constantFrom<Kind>(...callings) },
  { weight: 2, arbitrary: fc.constantFrom<Kind>(...pausing) },
  { weight: 2, arbitrary: fc.constantFrom<Kind>(...failures, 'busy') },
);
const unpaused = kind.filter((each) => each !== 'hold' && each !== 'drip');
export const plan = fc.array(kind, { maxLength: 5 });

/** Sending, resuming, answering, waiting: everything that starts, moves and ends runs. */
export const runCommands: readonly fc.Arbitrary<Command>[] = [
  commandOf({
    name: 'create',
    args: fc.constantFrom('a' as const, 'b' as const),
    when: (model) => model.living().length < 4,
    async run(machine, tenantId) {
      const { maxSessions = Infinity } = tenantId === 'a' ? machine.world.options.quota : {};
      const full = machine.model.living(tenantId).length >= maxSessions;
      machine.expect('create', await machine.create(tenantId), full ? '429 quota_exceeded' : '201');
    },
  }),
  ...[1, 2, 3].map(() =>
    commandOf({
      name: 'post',
      args: fc.record({ session, plan }),
      async run(machine, args) {
        const target = machine.session(args.session);
        const wanted = refusal(target) ?? (machine.overQuota(target.tenantId) ? '429 quota_exceeded' : '202');
        if (machine.expect('post', await machine.post(target, args.plan), wanted)) target.start(args.plan, true);
      },
    }),
  ),
  requestOf({
    name: 'postNothing',
    verb: 'post',
    body: fc.constant({ content: ' ' }),
    wanted: (target) => ['400 invalid_message', ...(target.deleted ? [notFound] : [])],
  }),
  commandOf({
    name: 'resume',
    args: fc.record({ session, plan }),
    async run(machine, args) {
      const target = machine.session(args.session);
      const refused = target.deleted ? notFound : target.resumable ? undefined : '409 not_resumable';
      const wanted = refused ?? (machine.overQuota(target.tenantId) ? '429 quota_exceeded' : '202');
      if (machine.expect('resume', await machine.resume(target, args.plan), wanted)) target.start(args.plan, false);
    },
  }),
  commandOf({
    name: 'goOn',
    args: fc.record({ plan, withMessage: fc.boolean() }),
    when: (model) => model.sessions.some(({ resumable }) => resumable),
    async run(machine, { plan: kinds, withMessage }) {
      const target = machine.model.sessions.find(({ resumable }) => resumable);
      if (!target) return;
      const wanted = machine.overQuota(target.tenantId) ? '429 quota_exceeded' : '202';
      const answer = withMessage ? await machine.post(target, kinds) : await machine.resume(target, kinds);
      if (machine.expect('goOn', answer, wanted)) target.start(kinds, withMessage);
    },
  }),
  requestOf({
    name: 'cancel',
    verb: 'cancel',
    wanted: (target) => (target.deleted ? notFound : '200'),
    done(target, { body }) {
      if (body.cancelled !== target.busy) throw new Error(`cancel said ${body.cancelled}`);
      target.cancel();
    },
  }),
  commandOf({
    name: 'release',
    args: fc.record({ session, kind: unpaused }),
    when: (model, args) => restOf(model.sessions, args.session) === 'model',
    async run(machine, args) {
      const target = machine.session(args.session);
      machine.world.provider.release(target.id, args.kind);
      target.releaseModel(args.kind);
    },
  }),
  commandOf({
    name: 'endTool',
    args: session,
    when: (model, number) => restOf(model.sessions, number) === 'tool',
    async run(machine, number) {
      const target = machine.session(number);
      machine.world.tools.release(target.id);
      target.finishCall();
    },
  }),
  ...[1, 2].map(() =>
    commandOf({
      name: 'decide',
      args: fc.record({ session, approved: fc.boolean() }),
      when: (model, args) => restOf(model.sessions, args.session) === 'approval',
      async run(machine, { session: number, approved }) {
        const target = machine.session(number);
        const approvalId = machine.model.shown.get(target.id)?.pendingApprovals[0]?.id ?? '';
        const decide = { verb: 'decide', approvalId, approved } as const;
        machine.expect('decide', await machine.ask(target, decide, { approved }), '200');
        target.finishCall();
      },
    }),
  ),
  commandOf({
    name: 'decideLate',
    args: fc.nat(5),
    when: (model) => model.oldApprovals.length > 0,
    async run(machine, number) {
      const { oldApprovals, sessions } = machine.model;
      const old = oldApprovals[number % oldApprovals.length];
      const target = sessions.find(({ id }) => id === old?.sessionId);
      if (!old || !target) return;
      const asked = { verb: 'decide', approvalId: old.id, approved: true } as const;
      const answer = await machine.ask(target, asked, { approved: true });
      machine.expect('decideLate', answer, target.deleted ? notFound : '404 approval_not_found');
    },
  }),
  commandOf({
    name: 'tick',
    args: fc.constantFrom(10_000, 61_000),
    when: () => true,
    async run({ world, model }, ms) {
      world.clock.advance(ms);
      for (const each of model.sessions) each.tick();
    },
  }),
  commandOf({ name: 'veto', args: fc.record({ session, throws: fc.boolean(), resumes: fc.boolean() }), run: veto }),
];

function restOf(sessions: readonly SessionModel[], number: number): string | undefined {
  return sessions[number % Math.max(1, sessions.length)]?.run?.rest;
}

/** A guard refuses, politely or by breaking: nothing may have changed. */
async function veto(machine: Machine, args: { session: number; throws: boolean; resumes: boolean }): Promise<void> {
  const { world, model } = machine;
  const target = machine.session(args.session);
  const look = () => JSON.stringify([...model.shown.values()].map(({ lastSeq: _, ...rest }) => rest));
  await machine.compare();
  const before = look();
  world.veto = args.throws ? new Error('the guard itself broke') : vetoError();
  const answer = args.resumes ? await machine.resume(target, []) : await machine.post(target, []);
  world.veto = undefined;
  const refused = args.resumes
    ? target.deleted
      ? notFound
      : target.resumable
        ? undefined
        : '409 not_resumable'
    : refusal(target);
  machine.expect('veto', answer, refused ?? (args.throws ? '500 internal_error' : '429 maintenance'));
  await machine.compare();
  world.facts.push({ kind: 'veto', what: args.resumes ? 'resume' : 'post', before, after: look() });
}

function vetoError(): Error {
  return Object.assign(new Error('Come back later.'), {
    name: 'SessionGuardError',
    code: 'maintenance',
    retryAfterSeconds: 3,
  });
}
