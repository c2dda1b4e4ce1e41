import type { FactOf, Invariant } from './history.ts';

export const storeInvariants: readonly Invariant[] = [
  {
    id: 'I19',
    says: 'the same commands leave the same trace on every driver',
    check: ({ facts }) => facts.flatMap((fact) => (fact.kind === 'trace' ? firstDifference(fact) : [])),
  },
  {
    id: 'I20',
    says: 'recovery is idempotent: a crash after it recovers to the same',
    check: ({ facts }) =>
      facts.flatMap((fact) =>
        fact.kind === 'recovered' && fact.first !== fact.second
          ? [`recovered to ${fact.first}, and from that to ${fact.second}`]
          : [],
      ),
  },
  {
    id: 'I22',
    says: 'no temporary file is older than the boot',
    check: ({ facts }) =>
      facts.flatMap((fact) =>
        fact.kind === 'disk'
          ? fact.files.flatMap(({ path, ageMs }) =>
              isLeftover({ path, ageMs }) ? [`${path} is ${-ageMs} ms older than the boot`] : [],
            )
          : [],
      ),
  },
];

/** What an earlier process was writing and never completed. */
export function isLeftover({ path, ageMs }: { path: string; ageMs: number }): boolean {
  return ageMs < 0 && /\.tmp$|\/incoming\//.test(path);
}

function firstDifference({ drivers, first, second }: FactOf<'trace'>): string[] {
  const length = Math.max(first.length, second.length);
  for (let at = 0; at < length; at++)
    if (first[at] !== second[at])
      return [`step ${at}: ${first[at] ?? 'nothing'} on ${drivers[0]}, ${second[at] ?? 'nothing'} on ${drivers[1]}`];
  return [];
}
