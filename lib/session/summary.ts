import type { Activity } from '../wire/activity.ts';
import type { SessionRecord, SessionSummary } from '../wire/session.ts';

/** The public part of a record. */
export function toSummary(record: SessionRecord): SessionSummary {
  const { id, title, createdAt, updatedAt, status, model, messageCount, workspace, usage, parentId, depth, role } =
    record;
  const summary: SessionSummary = { id, title, createdAt, updatedAt, status, model, messageCount, workspace, usage };
  return parentId === undefined ? summary : { ...summary, parentId, depth, role };
}

/** The JSON text of a list of summaries; `activityOf` is asked for running sessions only. */
export type SummaryTexts = (
  records: readonly SessionRecord[],
  activityOf?: (record: SessionRecord) => Activity | undefined,
) => string;

/**
 * Makes such texts; each record is serialised once, since records never change. What a run is doing changes faster and
 * is added behind.
 */
export function createSummaryTexts(): SummaryTexts {
  const texts = new WeakMap<SessionRecord, string>();
  const textOf = (record: SessionRecord): string => {
    const known = texts.get(record);
    if (known !== undefined) return known;
    const text = JSON.stringify(toSummary(record));
    texts.set(record, text);
    return text;
  };
  return (records, activityOf) =>
    records
      .map((record) => {
        const activity = record.status === 'running' ? activityOf?.(record) : undefined;
        return activity ? `${textOf(record).slice(0, -1)},"activity":${JSON.stringify(activity)}}` : textOf(record);
      })
      .join(',');
}
