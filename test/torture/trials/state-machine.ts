import fc from 'fast-check';
import { breaches } from '../invariants/all.ts';
import { isAcknowledgement } from '../invariants/history.ts';
import type { Command } from '../machine/command.ts';
import { tenants } from '../machine/life.ts';
import { Machine, ServiceModel } from '../machine/machine.ts';
import { lookAtDisk } from '../machine/probes.ts';
import { crashInRace, raceCommand } from '../machine/race.ts';
import { runCommands } from '../machine/run-commands.ts';
import { commandLimits, searchFailures } from '../machine/search.ts';
import { crashCommand, sessionCommands } from '../machine/session-commands.ts';
import { World } from '../machine/world.ts';
import type { WorldOptions } from '../machine/world-options.ts';
import type { Again, Trial } from '../trial.ts';

/**
 * Random commands over the whole API against a model of the contract, with crash and boot, races in one tick, a provider of
 * every mood, and the invariants I1 to I26 over everything that was seen. A failure is shrunk, and says how to see it again.
 */
export const stateMachine: Trial = {
  name: 'state-machine',
  cycle: 'a fresh service, up to 40 commands, and all invariants over what was seen',
  async run(given) {
    const counts: Counts = {
      runs: 0,
      commands: 0,
      crashes: 0,
      races: 0,
      acknowledged: 0,
      lost: 0,
      facts: 0,
      playing: new Set(),
    };
    const violations = await searchFailures(property(counts, given.again), {
      ...given,
      name: this.name,
      hasRun: () => counts.runs > 0,
      rest: () => Promise.allSettled(counts.playing),
    });
    const { runs, commands, crashes, races, acknowledged, lost, facts } = counts;
    const figures = { commands: `${commands}`, crashes: `${crashes}`, races: `${races}`, observed: `${facts}` };
    return { cycles: runs, acknowledged, lost, violations, figures };
  },
};

const options: fc.Arbitrary<WorldOptions> = fc.record({
  driver: fc.constant('file' as const),
  checkpoints: fc.oneof({ weight: 15, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  quota: fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constantFrom({ maxConcurrentRuns: 1 }, { maxSessions: 2 }, { maxTokens: 60 }) },
  ),
  contextWindow: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant(500) }),
  failingPrompt: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

function commandsOf(again: Again | undefined) {
  const limits = commandLimits(40, again);
  const some = [...runCommands, ...sessionCommands];
  const races = [raceCommand, raceCommand, raceCommand, crashCommand, crashCommand, crashInRace];
  // Without what depends on who comes first, the same commands must leave the same trace on another driver.
  return { steady: fc.commands(some, limits), wild: fc.commands([...some, ...races], limits) };
}

interface Counts {
  runs: number;
  commands: number;
  crashes: number;
  races: number;
  acknowledged: number;
  lost: number;
  facts: number;
  /** Worlds that are going on. */
  playing: Set<Promise<unknown>>;
}

function property(counts: Counts, again?: Again) {
  const { steady, wild } = commandsOf(again);
  const scenario = fc.oneof(
    { weight: 6, arbitrary: fc.record({ options, commands: wild, compare: fc.constant(false) }) },
    { weight: 1, arbitrary: fc.record({ options, commands: steady, compare: fc.constant(true) }) },
  );
  return fc.asyncProperty(scenario, async ({ options, commands, compare }) => {
    const first = await tracked(counts, play(options, commands, counts));
    if (!compare) return;
    const second = await tracked(counts, play({ ...options, driver: 'memory' }, commands, counts));
    fail(breaches({ ...emptyObservation, facts: [{ kind: 'trace', drivers: ['file', 'memory'], first, second }] }));
  });
}

const emptyObservation = { secrets: [], quotas: {} };

/** One world from boot to end; resolves with the trace of its commands, rejects with what was broken. */
async function play(options: WorldOptions, commands: Iterable<Command>, counts: Counts): Promise<string[]> {
  const world = await World.start(options);
  const model = new ServiceModel();
  try {
    const machine = new Machine(model, world);
    for (const tenant of tenants) await machine.create(tenant);
    await fc.asyncModelRun(() => ({ model, real: world }), commands);
    await world.streams.drain();
    if (options.driver === 'file') await lookAtDisk(world, model);
    const found = breaches(world.observation);
    counts.lost += found.filter((text) => text.startsWith('I2 ')).length;
    fail(found);
    return model.trace;
  } finally {
    count(counts, world, model);
    await world.close();
  }
}

function tracked<T>({ playing }: Counts, world: Promise<T>): Promise<T> {
  playing.add(world);
  return world.finally(() => playing.delete(world));
}

function fail(found: readonly string[]): void {
  if (found.length > 0) throw new Error(found.join('\n'));
}

function count(counts: Counts, { facts, lives }: World, model: ServiceModel): void {
  counts.runs += 1;
  counts.commands += model.commands;
  counts.crashes += lives - 1;
  counts.races += model.races;
  counts.facts += facts.length;
  counts.acknowledged += facts.filter(isAcknowledgement).length;
}
