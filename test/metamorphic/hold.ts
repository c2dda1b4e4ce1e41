import fc from 'fast-check';
import { within } from '../helpers/within.ts';

/** METAMORPHIC_SECONDS searches each relation for longer, METAMORPHIC_SEED searches it again. */
const seconds = Number(process.env.METAMORPHIC_SECONDS ?? 2);
const firstSeed = Number(process.env.METAMORPHIC_SEED ?? Date.now() % 1e9);
const casesPerSeed = 20;

/**
 * Draws cases until the time is over and holds the relation over each one; the first that breaks it is shrunk and told with
 * its seed. At least `least` cases are tried, however slow the machine is.
 */
export async function hold<Case>(
  name: string,
  cases: fc.Arbitrary<Case>,
  relation: (drawn: Case) => Promise<void>,
  { least = 3 }: { least?: number } = {},
): Promise<void> {
  const until = performance.now() + seconds * 1_000;
  // A broken relation is shrunk for a while, however long it took to break.
  const shrinkingMs = 10_000 + seconds * 1_000;
  let ends = Number.POSITIVE_INFINITY;
  let tried = 0;
  const isOver = (): boolean => (tried >= least && performance.now() > until) || performance.now() > ends;
  const property = fc.asyncProperty(cases, async (drawn) => {
    if (ends === Number.POSITIVE_INFINITY ? isOver() : performance.now() > ends) return;
    tried += 1;
    await within(60_000, relation(drawn), 'the end of a case').catch((error: unknown) => {
      ends = Math.min(ends, performance.now() + shrinkingMs);
      throw error;
    });
  });
  try {
    for (let seed = firstSeed; !isOver(); seed++)
      await fc.assert(property, { seed, numRuns: casesPerSeed, includeErrorInReport: true });
  } finally {
    console.log(`\nFIGURE ${name}: ${tried} cases, METAMORPHIC_SEED=${firstSeed}`);
  }
}
