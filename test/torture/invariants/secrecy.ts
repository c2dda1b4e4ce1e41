import type { Invariant } from './history.ts';

export const secrecyInvariants: readonly Invariant[] = [
  {
    id: 'I24',
    says: "another tenant's session answers byte for byte like one that never was",
    check: ({ facts }) =>
      facts.flatMap((fact) => {
        if (fact.kind !== 'foreign') return [];
        if (!fact.foreign.startsWith('404')) return [`${fact.what} answered a stranger: ${fact.foreign}`];
        return fact.foreign === fact.missing ? [] : [`${fact.what}: ${fact.foreign} is not ${fact.missing}`];
      }),
  },
  {
    id: 'I25',
    says: 'no value of the secret registry is in a response, an event, a log line or a transcript',
    check: ({ facts, secrets }) =>
      facts.flatMap((fact) =>
        fact.kind === 'text'
          ? secrets.flatMap((secret, number) =>
              fact.text.includes(secret) ? [`secret ${number + 1} is in ${fact.where}`] : [],
            )
          : [],
      ),
  },
];
