import { type Allowed, anySeq } from './compare.ts';

/**
 * All that may be different in the next process, and why. A run that is going on has an end at a restart that everybody may see:
 * `restart.test.ts` tries it apart.
 */
const differences: readonly { in: RegExp; why: string; without: Allowed }[] = [
  { in: /./, why: 'the newest event is of the process', without: anySeq },
  { in: /config/, why: 'each life has a copy of the data', without: (body) => body.replace(/data-\d+/, 'data') },
  { in: /health/, why: 'the process is new', without: (body) => body.replace(/"uptimeMs":\d+/, '"uptimeMs":0') },
  { in: /metrics/, why: 'figures count from the start of the process', without: () => '' },
  {
    in: /checkpoints$/,
    why: 'objects of a deleted session that a stop was faster than go two seconds after the next start',
    without: (body) => body.replace(/"bytes":\d+/, '"bytes":0'),
  },
  {
    in: /users/,
    why: 'when a token was used last is kept to some minutes',
    without: (body) => body.replace(/,"lastUsedAt":"[^"]*"/g, ''),
  },
];

/** Takes out of an answer what may be different in the next process. */
export const allowed: Allowed = (body, asked) =>
  differences.reduce((text, each) => (each.in.test(asked) ? each.without(text, asked) : text), body);
