import type { DamagedLine, ReadSegment } from './log-reader.ts';
import { claimedOwner, type LoggedCommit, ownerAmong } from './log-record.ts';
import type { ClosedSegment } from './log-segment.ts';
import { advance, createEntry, type SessionEntry } from './session-entry.ts';

/** A session that may not be whole. */
export interface Suspect {
  session: string;
  tenant: string;
  reason: string;
  /** A record of it is lost; a snapshot that holds this lsn makes up for it. */
  missingUpTo?: number;
}

export interface Replay {
  /** Folds a segment into the entries and tells what it holds. */
  segment(segment: ReadSegment): ClosedSegment;
  /** Sessions that the log deletes, with their tenants. */
  deleted: Map<string, string>;
  /** The good records of a session, for a person who looks into the damage. */
  recordsOf(session: string): LoggedCommit[];
}

/** Applies the log's records to the entries. What does not fit becomes a suspect, never an error. */
export function createReplay(entries: Map<string, SessionEntry>, suspects: Suspect[], findings: string[]): Replay {
  const deleted = new Map<string, string>();
  const kept = new Map<string, LoggedCommit[]>();
  return { segment, deleted, recordsOf: (session) => kept.get(session) ?? [] };

  function segment({ number, items, lastLsn }: ReadSegment): ClosedSegment {
    const sessions = new Set<string>();
    for (const item of items) {
      if (item.kind === 'damaged') blame(item);
      if (item.kind !== 'commit') continue;
      if (item.commit.change.kind !== 'deleted') sessions.add(item.commit.sessionId);
      apply({ lsn: item.lsn, commit: item.commit });
    }
    return { number, lastLsn, sessions };
  }

  function apply(logged: LoggedCommit): void {
    const { change, sessionId, tenantId, revision } = logged.commit;
    if (change.kind === 'deleted') {
      deleted.set(sessionId, tenantId);
      entries.delete(sessionId);
      kept.delete(sessionId);
    }
    if (deleted.has(sessionId)) return;
    const records = kept.get(sessionId) ?? [];
    kept.set(sessionId, records);
    records.push(logged);
    const known = entries.get(sessionId);
    // A first snapshot may be torn as long as the log holds the session from its beginning: only the index knows better.
    const entry = change.kind === 'created' && !known?.inIndex ? undefined : known;
    if (!entry) {
      if (change.kind === 'created') entries.set(sessionId, createEntry(logged, change.session));
      else
        suspects.push({
          session: sessionId,
          tenant: tenantId,
          reason: `its records before revision ${revision} are missing`,
        });
    } else if (revision <= entry.record.revision) {
      if (revision > entry.snapshot.revision) entry.pending.push(logged);
    } else {
      advance(entry, logged);
    }
  }

  function blame({ owner, expected }: DamagedLine): void {
    const blamed = ownerAmong(entries.keys(), owner);
    const entry = blamed === undefined ? undefined : entries.get(blamed);
    if (!entry) {
      const named = claimedOwner(owner);
      const whose = named === undefined ? 'its session cannot be told' : `nothing else is left of its session ${named}`;
      findings.push(`A record of the log is damaged (number ${expected}) and ${whose}.`);
      return;
    }
    const { id, tenantId } = entry.record;
    suspects.push({ session: id, tenant: tenantId, reason: `record ${expected} is damaged`, missingUpTo: expected });
  }
}
