import type { Activity } from '../wire/activity.ts';
import type { SessionRecord, SessionSummary } from '../wire/session.ts';

/** The public part of a record. */
export function toSummary(record: SessionRecord): SessionSummary {
  const { id, title, createdAt, updatedAt, status, model, messageCount, workspace, usage, parentId, depth, role } =
    record;
  const summary: SessionSummary = { id, title, createdAt, updatedAt, status, model, messageCount, workspace, usage };
  return parentId === undefined ? summary : { ...summary, parentId, depth, role };
}

/** The body of an answer with these summaries, in UTF-8; `activityOf` is asked for running sessions only. */
export type SummaryList = (
  records: readonly SessionRecord[],
  options?: { nextCursor?: string | undefined; activityOf?: (record: SessionRecord) => Activity | undefined },
) => Uint8Array<ArrayBuffer>;

/**
 * Makes such bodies. Each record is serialised once, since records never change, and a list of which nothing runs is put
 * together once for as long as its array lives: clients ask for the same list again and again. What a run is doing changes
 * faster and is added behind.
 */
export function createSummaryList(): SummaryList {
  const texts = new WeakMap<SessionRecord, string>();
  const bodies = new WeakMap<readonly SessionRecord[], Uint8Array<ArrayBuffer>>();
  const textOf = (record: SessionRecord): string => {
    const known = texts.get(record);
    if (known !== undefined) return known;
    const text = JSON.stringify(toSummary(record));
    texts.set(record, text);
    return text;
  };
  return (records, { nextCursor, activityOf } = {}) => {
    const known = bodies.get(records);
    if (known !== undefined) return known;
    let isQuiet = nextCursor === undefined;
    const parts = records.map((record) => {
      if (record.status !== 'running') return textOf(record);
      isQuiet = false;
      const activity = activityOf?.(record);
      return activity ? `${textOf(record).slice(0, -1)},"activity":${JSON.stringify(activity)}}` : textOf(record);
    });
    const end = nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(nextCursor)}`;
    const body = Buffer.from(`{"sessions":[${parts.join(',')}]${end}}`);
    if (isQuiet) bodies.set(records, body);
    return body;
  };
}
