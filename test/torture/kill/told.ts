/** What all lives of one store told: the oracle of the kill and power-cut rigs. */
export interface Told {
  readonly count: number;
  /** What a life printed until it ended. */
  learn(output: string): void;
  /** Holds what a later life found against it, as far as it came. */
  compare(output: string): { lost: number; problems: string[] };
}

export function createTold(): Told {
  const stored = new Map<string, number>();
  const deleting = new Set<string>();
  const deleted = new Set<string>();
  let count = 0;
  return {
    get count() {
      return count;
    },
    learn(output) {
      const found = new Set<string>();
      for (const line of wholeLines(output)) {
        const [word, id = '', revision] = line.split(' ');
        if (word === 'found') found.add(id);
        if (word === 'opened') for (const gone of [...deleting].filter((each) => !found.has(each))) deleted.add(gone);
        if (word === 'deleting') deleting.add(id);
        // What a restart has shown is as good as acknowledged: it must not go away again.
        if (word === 'stored' || word === 'found') stored.set(id, Number(revision));
        if (word === 'deleted') {
          deleted.add(id);
          stored.delete(id);
        }
        if (word === 'stored' || word === 'deleted') count += 1;
      }
    },
    compare(output) {
      const found = new Map<string, number>();
      const problems: string[] = [];
      let lost = 0;
      for (const line of wholeLines(output)) {
        const [word, id = '', revision, state] = line.split(' ');
        if (word === 'indexes' && id !== 'agree') problems.push('tables and indexes differ');
        if (word === 'finding' && !line.includes('cut short')) problems.push(line);
        if (word !== 'found') continue;
        found.set(id, Number(revision));
        if (state !== 'whole') problems.push(`${id} at revision ${revision} is not what was committed`);
        if (deleted.has(id)) problems.push(`${id} came back`);
      }
      if (!/^opened$/m.test(output)) return { lost, problems };
      for (const [id, revision] of stored) {
        const there = found.get(id) ?? 0;
        if (there >= revision || (there === 0 && (deleting.has(id) || deleted.has(id)))) continue;
        lost += revision - there;
        problems.push(`${id} is at ${there}, acknowledged was ${revision}`);
      }
      return { lost, problems };
    },
  };
}

/** A last line without its end was cut off by the crash. */
function wholeLines(output: string): string[] {
  return output.split('\n').slice(0, -1);
}
