/** What a session must be after a crash: somewhere between what was acknowledged and what was asked for. */
export interface Standing {
  tenantId: string;
  /** The highest revision that was acknowledged, or seen after a restart; 0 for none. */
  acknowledged: number;
  /** The highest revision that was asked for. */
  issued: number;
  deletion: 'none' | 'issued' | 'acknowledged';
}

type Entry =
  | { kind: 'issued' | 'acknowledged'; tenantId: string; session: string; revision: number; deletes: boolean }
  | { kind: 'meta issued'; value: number }
  | { kind: 'meta acknowledged'; value: number }
  | { kind: 'reopened'; revisions: ReadonlyMap<string, number> };

/** What was asked of a store and what it said, each with the number of disk operations until then. */
export interface Ledger {
  note(at: number, entry: Entry): void;
  /** Changes that were acknowledged. */
  readonly count: number;
  /** Tells what must hold after a crash right behind the first `at` operations; to be asked in ascending order. */
  reader(): (at: number) => Expected;
}

export interface Expected {
  sessions: ReadonlyMap<string, Standing>;
  meta: { acknowledged: number; issued: number };
}

export function createLedger(): Ledger {
  const notes: { at: number; entry: Entry }[] = [];
  return {
    note: (at, entry) => void notes.push({ at, entry }),
    get count() {
      return notes.filter(({ entry }) => entry.kind === 'acknowledged').length;
    },
    reader() {
      const expected = { sessions: new Map<string, Standing>(), meta: { acknowledged: 0, issued: 0 } };
      let next = 0;
      return (at) => {
        for (let each = notes[next]; each && each.at <= at; each = notes[++next]) take(expected, each.entry);
        return expected;
      };
    },
  };
}

function take({ sessions, meta }: { sessions: Map<string, Standing>; meta: Expected['meta'] }, entry: Entry): void {
  if (entry.kind === 'meta issued') meta.issued = entry.value;
  else if (entry.kind === 'meta acknowledged') meta.acknowledged = entry.value;
  else if (entry.kind === 'reopened') reopen(sessions, entry.revisions);
  else {
    const { kind, tenantId, session, revision, deletes } = entry;
    const standing = sessions.get(session) ?? { tenantId, acknowledged: 0, issued: 0, deletion: 'none' };
    sessions.set(session, standing);
    if (deletes) standing.deletion = kind;
    else standing[kind] = revision;
  }
}

/** What a restart has shown is as good as acknowledged: it must not go away again. */
function reopen(sessions: Map<string, Standing>, revisions: ReadonlyMap<string, number>): void {
  for (const [session, standing] of sessions) {
    const revision = revisions.get(session);
    if (revision === undefined) standing.deletion = 'acknowledged';
    else Object.assign(standing, { acknowledged: revision, issued: revision, deletion: 'none' });
  }
}
