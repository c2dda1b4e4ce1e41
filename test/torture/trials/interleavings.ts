import fc from 'fast-check';
import { isAcknowledgement } from '../invariants/history.ts';
import { commandLimits, searchFailures } from '../machine/search.ts';
import { type Played, playSteered, steeredMoves, steeredOptions } from '../schedule/play.ts';
import { orders } from '../schedule/steered-world.ts';
import type { Trial } from '../trial.ts';

/**
 * Requests, models, tools, timers, crashes and a disk of which every step happens when the scheduler of fast-check says so:
 * each race is drawn from the seed, found again by its path, and shrunk.
 */
export const interleavings: Trial = {
  name: 'interleavings',
  cycle:
    'a fresh service, up to 30 moves in a drawn order with every step between them, and all invariants over what was seen',
  async run(options) {
    const counts = { runs: 0, moves: 0, steps: 0, crashes: 0, acknowledged: 0, lost: 0, facts: 0 };
    const playing = new Set<Promise<unknown>>();
    const property = fc.asyncProperty(
      steeredOptions,
      steeredMoves(commandLimits(30, options.again)),
      orders,
      async (settings, list, order) => {
        const play = playSteered(settings, list, { order });
        playing.add(play);
        const played = await play.finally(() => playing.delete(play));
        count(counts, played);
        if (played.broken.length > 0) throw new Error(played.broken.join('\n'));
      },
    );
    const violations = await searchFailures(property, {
      ...options,
      name: this.name,
      hasRun: () => counts.runs > 0,
      rest: () => Promise.allSettled(playing),
    });
    const { runs, moves, steps, crashes, acknowledged, lost, facts } = counts;
    const figures = { moves: `${moves}`, steps: `${steps}`, crashes: `${crashes}`, observed: `${facts}` };
    return { cycles: runs, acknowledged, lost, violations, figures };
  },
};

function count(counts: Record<string, number>, { steered, broken }: Played): void {
  const { facts } = steered.world;
  const add = (name: string, more: number): void => {
    counts[name] = (counts[name] ?? 0) + more;
  };
  add('runs', 1);
  add('moves', steered.machine.model.commands);
  add('steps', steered.scheduler.report().filter(({ status }) => status !== 'pending').length);
  add('crashes', steered.crashes);
  add('facts', facts.length);
  add('acknowledged', facts.filter(isAcknowledgement).length);
  add('lost', broken.filter((text) => text.startsWith('I2 ')).length);
}
