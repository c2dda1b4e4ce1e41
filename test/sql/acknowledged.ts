import * as assert from 'uvu/assert';

/** What lives before told: the oracle of the crash rigs. */
export interface Acknowledged {
  readonly count: number;
  /** What a life printed until it ended. */
  learn(output: string): void;
  /** Compares what a later life found. Resolves to how many sessions or revisions are missing. */
  missing(output: string): string[];
}

export function createAcknowledged(): Acknowledged {
  const stored = new Map<string, number>();
  const deleting = new Set<string>();
  const deleted = new Set<string>();
  let count = 0;
  return {
    get count() {
      return count;
    },
    learn(output) {
      for (const line of wholeLines(output)) {
        const [word, id = '', revision] = line.split(' ');
        if (word === 'deleting') deleting.add(id);
        if (word === 'stored') stored.set(id, Number(revision));
        if (word === 'deleted') {
          deleted.add(id);
          stored.delete(id);
        }
        if (word === 'stored' || word === 'deleted') count += 1;
      }
    },
    missing(output) {
      const found = new Map<string, number>();
      const problems: string[] = [];
      for (const line of wholeLines(output)) {
        const [word, id = '', revision, state] = line.split(' ');
        if (word === 'indexes' && id !== 'agree') problems.push('tables and indexes differ');
        if (word !== 'found') continue;
        found.set(id, Number(revision));
        if (state !== 'whole') problems.push(`${id} at revision ${revision} is not what was committed`);
        if (deleted.has(id)) problems.push(`${id} came back`);
      }
      for (const [id, revision] of stored) {
        const there = found.get(id) ?? 0;
        if (there < revision && !deleting.has(id)) problems.push(`${id} is at ${there}, acknowledged was ${revision}`);
      }
      return problems;
    },
  };
}

/** A last line without its end was cut off by the crash. */
function wholeLines(output: string): string[] {
  return output.split('\n').slice(0, -1);
}

export function assertWhole(problems: readonly string[], what: string): void {
  assert.equal(problems, [], what);
}
