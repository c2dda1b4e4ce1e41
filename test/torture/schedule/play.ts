import fc from 'fast-check';
import { breaches } from '../invariants/all.ts';
import type { WorldOptions } from '../machine/world-options.ts';
import { type Move, moves } from './moves.ts';
import { type Flaws, SteeredWorld, schedulerOf } from './steered-world.ts';

export type SteeredOptions = Omit<WorldOptions, 'driver'>;

export const steeredOptions: fc.Arbitrary<SteeredOptions> = fc.record({
  checkpoints: fc.constant(false),
  quota: fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constantFrom({ maxConcurrentRuns: 1 }, { maxSessions: 3 }, { maxTokens: 60 }) },
  ),
  contextWindow: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant(500) }),
  failingPrompt: fc.constant(false),
});

export function steeredMoves(limits: fc.CommandsContraints): fc.Arbitrary<Iterable<Move>> {
  return fc.commands([...moves], limits);
}

export interface Played {
  steered: SteeredWorld;
  /** What was broken; empty when every promise was kept. */
  broken: string[];
  trace: string[];
}

/** One world from its start to its end, every step in the order that this number stands for. */
export async function playSteered(
  options: SteeredOptions,
  list: Iterable<Move>,
  { order, flaws = {} }: { order: number; flaws?: Flaws },
): Promise<Played> {
  const scheduler = schedulerOf(order);
  const steered = await SteeredWorld.start(options, scheduler, flaws);
  const { machine, world } = steered;
  try {
    await fc.scheduledModelRun(scheduler, () => ({ model: machine.model, real: steered }), list);
    await steered.finish();
    const trace = steered.trace();
    return { steered, broken: [...steered.broken, ...breaches(world.observation)], trace };
  } finally {
    await world.close();
  }
}
