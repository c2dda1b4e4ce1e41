import type { SessionRecord, SessionSummary } from '../wire/session.ts';
import type { Session } from './session.ts';

/** Every session of the process by id, and per tenant in the order of `updatedAt`. Records are always in memory, transcripts when needed. */
export interface Sessions {
  /** The session if it exists and belongs to the tenant; undefined otherwise, for both reasons alike. */
  find(tenantId: string, sessionId: string): Session | undefined;
  /** A tenant's sessions, most recently updated first. O(length), no sorting. */
  list(tenantId: string): readonly SessionRecord[];
  /** All sessions of all tenants, in no particular order. */
  all(): Iterable<Session>;
  childrenOf(sessionId: string): Session[];
  /** Makes a session in memory; the caller commits its creation. */
  create(record: SessionRecord): Session;
  remove(session: Session): void;
  readonly size: number;
}

/** The public part of a record. */
export function toSummary(record: SessionRecord): SessionSummary {
  const { id, title, createdAt, updatedAt, status, model, messageCount, workspace, usage, parentId, depth, role } =
    record;
  const summary: SessionSummary = { id, title, createdAt, updatedAt, status, model, messageCount, workspace, usage };
  return parentId === undefined ? summary : { ...summary, parentId, depth, role };
}
