import fc from 'fast-check';
import { callings, endings, failures, type Kind, pausing } from '../torture/machine/provider.ts';

const verbs = [
  ...['create', 'child', 'post', 'post', 'post', 'post', 'post', 'post', 'resume', 'cancel', 'decide', 'decide'],
  ...['release', 'endTool', 'patch', 'rewind', 'rewind', 'restore', 'checkpoint', 'compact', 'repair', 'delete'],
  ...['tick', 'write', 'clock'],
] as const satisfies readonly string[];

/** What is done in one step. `clock` moves the wall clock by up to a day, either way; only where a test asks for it. */
export type Verb = (typeof verbs)[number];

/**
 * One step of a history. Nothing in it depends on how earlier steps ended: `session` and `number` choose among what is there
 * when it is carried out, so that the same steps make the same history wherever they are played.
 */
export interface Step {
  verb: Verb;
  tenantId: 'a' | 'b';
  session: number;
  number: number;
  flag: boolean;
  /** What the model answers next. */
  kinds: Kind[];
}

interface StepOptions {
  tenants?: readonly ('a' | 'b')[];
  /** Never drawn. */
  without?: readonly Verb[];
  least?: number;
  most?: number;
}

const kind: fc.Arbitrary<Kind> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Kind>(...endings) },
  { weight: 4, arbitrary: fc.constantFrom<Kind>(...callings) },
  { weight: 2, arbitrary: fc.constantFrom<Kind>(...pausing) },
  { weight: 1, arbitrary: fc.constantFrom<Kind>(...failures, 'busy') },
);

/** Short histories of any calls in any order. */
export function stepsOf({
  tenants = ['a', 'b'],
  without = [],
  least = 1,
  most = 25,
}: StepOptions = {}): fc.Arbitrary<Step[]> {
  const step = fc.record<Step>({
    verb: fc.constantFrom(...verbs.filter((verb) => !without.includes(verb))),
    tenantId: fc.constantFrom(...tenants),
    session: fc.nat(2),
    number: fc.nat(9),
    flag: fc.boolean(),
    kinds: fc.array(kind, { maxLength: 4 }),
  });
  return fc.array(step, { minLength: least, maxLength: most, size: 'max' });
}

/** Now and then one that is so small that runs compact by themselves. */
export const contextWindow = fc.constantFrom(undefined, undefined, 500);
