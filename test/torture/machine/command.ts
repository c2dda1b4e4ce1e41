import fc from 'fast-check';
import { Machine, type ServiceModel } from './machine.ts';
import type { World } from './world.ts';

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
