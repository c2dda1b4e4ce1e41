import * as assert from 'uvu/assert';
import type { Answers } from './answers.ts';

/** Changes an answer before it is compared: how a test says what may be different. `asked` is the viewer and the path. */
export type Allowed = (body: string, asked: string) => string;

/** Fails with every answer that differs. */
export function assertSame(before: Answers, after: Answers, what: string, allowed: Allowed = (body) => body): void {
  const differences: string[] = [];
  for (const asked of new Set([...before.keys(), ...after.keys()])) {
    const [one, other] = [before, after].map((answers) => allowed(answers.get(asked) ?? 'not asked', asked));
    if (one !== other) differences.push(`${asked}\n${difference(one ?? '', other ?? '')}`);
  }
  assert.ok(differences.length === 0, `${what} changed ${differences.length} answers:\n${differences.join('\n')}`);
}

/** The newest event's number is the process's, whoever it was for (contract: `seq`). */
export const anySeq: Allowed = (body) => body.replace(/"lastSeq":\d+/g, '"lastSeq":0');

function difference(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const from = Math.max(0, at - 120);
  return `    before ...${one.slice(from, at + 160)}\n    after  ...${other.slice(from, at + 160)}`;
}
