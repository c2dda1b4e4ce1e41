import type { SessionRecord, SessionSummary } from '../wire/session.ts';

/** The public part of a record. */
export function toSummary(record: SessionRecord): SessionSummary {
  const { id, title, createdAt, updatedAt, status, model, messageCount, workspace, usage, parentId, depth, role } =
    record;
  const summary: SessionSummary = { id, title, createdAt, updatedAt, status, model, messageCount, workspace, usage };
  return parentId === undefined ? summary : { ...summary, parentId, depth, role };
}

/** Makes the JSON text of a list of summaries; each record is serialised once, since records never change. */
export function createSummaryTexts(): (records: readonly SessionRecord[]) => string {
  const texts = new WeakMap<SessionRecord, string>();
  const textOf = (record: SessionRecord): string => {
    const known = texts.get(record);
    if (known !== undefined) return known;
    const text = JSON.stringify(toSummary(record));
    texts.set(record, text);
    return text;
  };
  return (records) => records.map(textOf).join(',');
}
