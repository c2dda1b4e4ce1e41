import fc from 'fast-check';
import type { Asked } from '../invariants/history.ts';
import { Machine, type ServiceModel } from './machine.ts';
import type { SessionModel } from './session-model.ts';
import type { World } from './world.ts';
import type { Answer } from './world-options.ts';

export type Command = fc.AsyncCommand<ServiceModel, World>;

interface CommandSpec<Args> {
  name: string;
  args: fc.Arbitrary<Args>;
  /** Whether it makes sense now; default: there is a session. */
  when?(model: ServiceModel, args: Args): boolean;
  run(machine: Machine, args: Args): Promise<void>;
}

/** A command by its arguments. Behind each one everything comes to rest and is compared with the model. */
export function commandOf<Args>({ name, args, when, run }: CommandSpec<Args>): fc.Arbitrary<Command> {
  return args.map((values) => ({
    check: (model) => (when ? when(model, values) : model.sessions.length > 0),
    async run(model, world) {
      const machine = new Machine(model, world);
      model.commands += 1;
      await run(machine, values);
      await machine.compare();
    },
    toString: () => `${name}(${fc.stringify(values)})`,
  }));
}

interface RequestSpec {
  name: string;
  verb: Asked['verb'];
  /** The body of the request; default: none. */
  body?: fc.Arbitrary<object>;
  /** The answers that the contract allows for a session in this state. */
  wanted(target: SessionModel, machine: Machine): string | readonly string[];
  /** It was carried out. */
  done?(target: SessionModel, answer: Answer): void;
}

/** A command that is one request to one session. */
export function requestOf({ name, verb, body, wanted, done }: RequestSpec): fc.Arbitrary<Command> {
  return commandOf({
    name,
    args: fc.record({ session: fc.nat(3), body: body ?? fc.constant(undefined) }),
    async run(machine, args) {
      const target = machine.session(args.session);
      const allowed = [wanted(target, machine)].flat();
      const answer = await machine.ask(target, { verb }, args.body);
      if (machine.expect(name, answer, ...allowed)) done?.(target, answer);
    },
  });
}

export const notFound = '404 session_not_found';

/** Why a message or another change of a session is refused before guards are asked. */
export function refusal(target: SessionModel): string | undefined {
  return target.deleted ? notFound : target.busy ? '409 session_busy' : undefined;
}
