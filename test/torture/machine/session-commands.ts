import fc from 'fast-check';
import { type Command, commandOf, notFound, refusal, requestOf } from './command.ts';
import { probeForeign } from './probes.ts';

const session = fc.nat(3);

/** Everything that changes or looks at sessions beside their runs, and the end of the process. */
export const sessionCommands: readonly fc.Arbitrary<Command>[] = [
  requestOf({
    name: 'patch',
    verb: 'patch',
    body: fc.constantFrom<object>({ title: 'renamed' }, { systemPrompt: 'be brief' }, { model: 'scripted' }, {}),
    wanted: (target) => refusal(target) ?? '200',
  }),
  requestOf({
    name: 'patchWrongly',
    verb: 'patch',
    body: fc.constant({ model: 'no-such-model' }),
    wanted: (target) => [target.deleted ? notFound : '400 invalid_model', ...(target.busy ? ['409 session_busy'] : [])],
  }),
  requestOf({
    name: 'delete',
    verb: 'delete',
    wanted: (target) => (target.deleted ? notFound : '204'),
    done(target) {
      target.deleted = true;
      target.run = undefined;
    },
  }),
  commandOf({
    name: 'rewind',
    args: fc.record({ session, message: fc.nat(12), restoreFiles: fc.boolean() }),
    async run(machine, { session: number, message, restoreFiles }) {
      const target = machine.session(number);
      const { messages = [] } = machine.model.shown.get(target.id) ?? {};
      const at = message % (messages.length + 1);
      const messageId = messages[at]?.id ?? 'msg_unknown';
      const answer = await machine.ask(
        target,
        { verb: 'rewind', messageId, restoreFiles },
        { messageId, restoreFiles },
      );
      const wrong = at >= messages.length ? '404 message_not_found' : '400 invalid_rewind_target';
      const found = at < messages.length && messages[at]?.role === 'user';
      const wanted = target.deleted ? notFound : target.busy ? '409 session_busy' : found ? '200' : wrong;
      if (machine.expect('rewind', answer, wanted)) target.rewind(at);
    },
  }),
  requestOf({
    name: 'checkpoint',
    verb: 'checkpoint',
    body: fc.constant({ label: 'by hand' }),
    wanted: (target, { world }) =>
      target.deleted ? notFound : world.options.checkpoints ? '201' : '409 checkpoints_unavailable',
  }),
  commandOf({
    name: 'restore',
    args: fc.record({ session, number: fc.nat(3) }),
    async run(machine, args) {
      const { world } = machine;
      const target = machine.session(args.session);
      const path = `/api/sessions/${target.id}/checkpoints`;
      const list = await world.ask(target.tenantId, 'GET', path);
      machine.expect('checkpoints', list, target.deleted ? notFound : '200');
      const { checkpoints = [] } = list.body as { checkpoints?: { id: string }[] };
      const checkpoint = checkpoints[args.number];
      const asked = { asked: { verb: 'restore' as const } };
      const answer = await world.ask(target.tenantId, 'POST', `${path}/${checkpoint?.id ?? 'chk_none'}/restore`, asked);
      const known = checkpoint ? '200' : '404 not_found';
      const free = world.options.checkpoints ? known : '409 checkpoints_unavailable';
      machine.expect('restore', answer, refusal(target) ?? free);
    },
  }),
  commandOf({
    name: 'compact',
    args: fc.record({ session, summary: fc.constantFrom('silent' as const, 'fatal' as const) }),
    async run(machine, { session: number, summary }) {
      const target = machine.session(number);
      machine.world.provider.summaries = [summary];
      const answer = await machine.ask(target, { verb: 'compact' });
      machine.world.provider.summaries = [];
      const full = machine.overQuota(target.tenantId);
      if (!machine.expect('compact', answer, refusal(target) ?? (full ? '429 quota_exceeded' : '200'))) return;
      if (answer.body.compacted !== true) return;
      if (target.cut === undefined || summary === 'fatal') throw new Error('compacted without a place or a summary');
      target.compact();
    },
  }),
  requestOf({
    name: 'repair',
    verb: 'repair',
    wanted: (target) => refusal(target) ?? '200',
    done: (target) => target.repair(),
  }),
  commandOf({
    name: 'subscribe',
    args: fc.record({
      session: fc.option(session, { nil: undefined }),
      tenant: fc.constantFrom('a' as const, 'b' as const),
    }),
    when: (model) => model.sessions.length > 0,
    async run(machine, args) {
      if (machine.world.streams.count >= 4) return;
      const target = args.session === undefined ? undefined : machine.session(args.session);
      await machine.world.streams.subscribe(target?.tenantId ?? args.tenant, target?.id);
    },
  }),
  commandOf({ name: 'reconnect', args: fc.nat(3), run: ({ world }, number) => world.streams.reconnect(number) }),
  commandOf({
    name: 'probe',
    args: fc.record({ session, route: fc.nat(20) }),
    run: (machine, args) => probeForeign(machine.world, machine.session(args.session), args.route),
  }),
];

/** The process ends without a word, once or twice in a row. */
export const crashCommand = commandOf({
  name: 'crash',
  args: fc.record({ twice: fc.boolean() }),
  async run(machine, { twice }) {
    const { world, model } = machine;
    for (const each of model.living()) each.crash();
    await world.crash();
    const first = await digest(machine);
    if (!twice) return;
    await world.crash();
    world.facts.push({ kind: 'recovered', first, second: await digest(machine) });
  },
});

async function digest({ world, model }: Parameters<Parameters<typeof commandOf>[0]['run']>[0]): Promise<string> {
  const shown: unknown[] = [];
  for (const { tenantId, id } of model.sessions) {
    const detail = await world.read(tenantId, id);
    if (detail) shown.push({ ...detail, lastSeq: undefined });
  }
  return JSON.stringify(shown);
}
