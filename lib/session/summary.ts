import type { SessionRecord, SessionSummary } from '../wire/session.ts';

/** The public part of a record. */
export function toSummary(record: SessionRecord): SessionSummary {
  const { id, title, createdAt, updatedAt, status, model, messageCount, workspace, usage, parentId, depth, role } = record;
  const summary: SessionSummary = { id, title, createdAt, updatedAt, status, model, messageCount, workspace, usage };
  return parentId === undefined ? summary : { ...summary, parentId, depth, role };
}
