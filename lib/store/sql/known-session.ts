import type { SessionRecord } from '../../wire/session.ts';
import type { SessionCommit } from '../change.ts';
import type { Row } from './database.ts';
import { newSecret } from './seal.ts';

/** What the driver knows of a session without its transcript. Its messages are the rows `first` to `first + length - 1`. */
export interface KnownSession {
  record: SessionRecord;
  first: number;
  length: number;
  /** What its messages are sealed with. It never changes. */
  secret: string;
}

/** A batch is admitted on top of what is durable: `undefined` is a session that the batch deletes. */
export type Overlay = Map<string, KnownSession | undefined>;

/** Why a commit can't follow; undefined when it can. */
export function refusalOf({ change, revision }: SessionCommit, known: KnownSession | undefined): string | undefined {
  if (change.kind === 'created') return known ? 'the session exists already' : undefined;
  if (!known) return 'the session is not in the store';
  if (change.kind === 'deleted' || revision === known.record.revision + 1) return undefined;
  return `revision ${revision} does not follow ${known.record.revision}`;
}

/** The session after a commit that was not refused. A new one gets a secret. */
export function follow({ change, revision }: SessionCommit, known: KnownSession | undefined): KnownSession | undefined {
  if (change.kind === 'created')
    return { record: { ...change.session, revision }, first: 0, length: 0, secret: newSecret() };
  if (change.kind === 'deleted' || !known) return undefined;
  const { first, length, secret } = known;
  const record = { ...known.record, ...change.fields, revision };
  if (change.kind === 'appended') return { record, first, length: length + change.messages.length, secret };
  if (change.kind === 'truncated') return { record, first, length: Math.min(length, change.keep), secret };
  if (change.kind === 'updated') return { record, first, length, secret };
  const removed = Math.min(length, change.removed);
  return { record, first: first + removed - 1, length: length - removed + 1, secret };
}

/** A session from a row of `sessions`. Throws when its record is no JSON. */
export function knownFromRow(row: Row): KnownSession {
  const record: SessionRecord = JSON.parse(String(row.record));
  return {
    record: { ...record, revision: Number(row.revision) },
    first: Number(row.first_position),
    length: Number(row.length),
    secret: String(row.secret),
  };
}
