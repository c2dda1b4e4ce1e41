import type { App } from '../app.ts';
import { ServiceError } from '../wire/errors.ts';
import { type SessionRecord, type SessionStatus, sessionStatuses } from '../wire/session.ts';
import { isSet, wholeNumber } from './query-values.ts';

/** What a listing may ask for beyond the contract. Without any of it, every session of the tenant is listed. */
export interface SessionQuery {
  /** At most so many, 1 to 1,000. */
  limit?: number;
  /** Where the listing before this one ended. */
  cursor?: string;
  statuses?: readonly SessionStatus[];
  /** Only sessions that a person started, without sub-agents. */
  roots?: boolean;
  /** Every word must be part of title, id, model or workspace, whatever the case. */
  words?: readonly string[];
}

export interface SessionPage {
  records: readonly SessionRecord[];
  /** Absent at the end. */
  nextCursor?: string;
}

/**
 * A page of the tenant's sessions, most recently updated first. A session that changes between two pages moves to the
 * front and may be missed or repeated, as in any list that is ordered by change.
 */
export function listSessions(
  app: Pick<App, 'events' | 'sessions'>,
  tenantId: string,
  query: SessionQuery,
): SessionPage {
  app.events.shown({ tenantId });
  const all = app.sessions.list(tenantId);
  // The very array, when all of it is asked for: what was made of it is found by it.
  if (Object.keys(query).length === 0) return { records: all };
  const matching = all.filter((record) => matches(record, query));
  const rest = query.cursor === undefined ? matching : after(matching, query.cursor);
  const records = rest.slice(0, query.limit ?? rest.length);
  const last = records.at(-1);
  return rest.length > records.length && last ? { records, nextCursor: cursorOf(last) } : { records };
}

/** Reads the query string. Throws `invalid_body` and says which parameter is wrong. */
export function readSessionQuery(params: URLSearchParams): SessionQuery {
  const query: SessionQuery = {};
  const limit = wholeNumber(params, 'limit', 1_000);
  if (limit !== undefined) query.limit = limit;
  const cursor = params.get('cursor');
  if (cursor !== null) query.cursor = cursor;
  const status = params.get('status');
  if (status !== null) query.statuses = status.split(',').map(statusNamed);
  if (isSet(params, 'roots')) query.roots = true;
  const words = (params.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length > 0) query.words = words.slice(0, 20);
  return query;
}

function matches(record: SessionRecord, { statuses, roots, words }: SessionQuery): boolean {
  if (roots && record.parentId !== undefined) return false;
  if (statuses && !statuses.includes(record.status)) return false;
  if (!words) return true;
  const text = `${record.title}\n${record.id}\n${record.model}\n${record.workspace}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Of an ISO timestamp. */
const longestTime = 32;

function after(records: readonly SessionRecord[], cursor: string): SessionRecord[] {
  const at = cursor.indexOf('~');
  const [updatedAt, id] = [cursor.slice(0, Math.max(0, at)), cursor.slice(at + 1)];
  if (updatedAt.length > longestTime || id === '' || Number.isNaN(Date.parse(updatedAt)))
    throw new ServiceError('invalid_body', '"cursor" must be the "nextCursor" of an earlier answer.', {
      details: { path: 'cursor' },
    });
  return records.filter((record) => record.updatedAt < updatedAt || (record.updatedAt === updatedAt && record.id < id));
}

function cursorOf({ updatedAt, id }: SessionRecord): string {
  return `${updatedAt}~${id}`;
}

function statusNamed(word: string): SessionStatus {
  const status = sessionStatuses.find((known) => known === word);
  if (status) return status;
  throw new ServiceError('invalid_body', `"status" must be of ${sessionStatuses.join(', ')}, with commas between.`, {
    details: { path: 'status' },
  });
}
