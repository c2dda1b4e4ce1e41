import { accountingInvariants } from './accounting.ts';
import { conversationInvariants } from './conversation.ts';
import { eventInvariants } from './events.ts';
import type { Invariant, Observation } from './history.ts';
import { runInvariants } from './runs.ts';
import { secrecyInvariants } from './secrecy.ts';
import { storeInvariants } from './store.ts';
import { toolInvariants } from './tools.ts';

/** I1 to I26, in that order. */
export const invariants: readonly Invariant[] = [
  ...runInvariants,
  ...eventInvariants,
  ...toolInvariants,
  ...accountingInvariants,
  ...conversationInvariants,
  ...storeInvariants,
  ...secrecyInvariants,
].toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));

/** Every breach, each with the name of its invariant. */
export function breaches(observation: Observation): string[] {
  return invariants.flatMap(({ id, check }) => check(observation).map((text) => `${id} ${text}`));
}
