import type { StoredMessage } from '../wire/message.ts';
import type { SessionFields, SessionRecord } from '../wire/session.ts';

/**
 * One change to one session; the only way a session ever changes, in memory and on disk alike.
 * `truncated` keeps the first `keep` messages; `compacted` replaces the first `removed` messages by `summary`.
 * `fields` hold absolute values and are applied last.
 */
export type SessionChange =
  | { kind: 'created'; session: SessionRecord }
  | { kind: 'updated'; fields: SessionFields }
  | { kind: 'appended'; messages: StoredMessage[]; fields: SessionFields }
  | { kind: 'truncated'; keep: number; fields: SessionFields }
  | { kind: 'compacted'; removed: number; summary: StoredMessage; fields: SessionFields }
  | { kind: 'deleted' };

/** A change on its way to the store. `revision` is the session's revision after it: 1 for `created`, then +1 each, without gaps. */
export interface SessionCommit {
  tenantId: string;
  sessionId: string;
  revision: number;
  change: SessionChange;
}

/** A session as a value. */
export interface SessionState {
  record: SessionRecord;
  messages: StoredMessage[];
}

/**
 * Whether a change only ends what is under way: a deletion, the end of a run, the results of calls that were not
 * executed. These few bytes are still stored on a full disk.
 */
export function endsSomething(change: SessionChange): boolean {
  if (change.kind === 'deleted' || change.kind === 'created') return change.kind === 'deleted';
  if (change.fields.status !== undefined) return change.fields.status !== 'running';
  return change.kind === 'appended' && change.messages.every(isShortError);
}

function isShortError({ role, isError, content }: StoredMessage): boolean {
  return role === 'tool' && isError === true && content.length <= 1_000;
}

/** The part of a change that concerns the transcript. */
export function applyToMessages(messages: StoredMessage[], change: SessionChange): void {
  if (change.kind === 'appended') messages.push(...change.messages);
  if (change.kind === 'truncated') messages.length = Math.min(messages.length, change.keep);
  if (change.kind === 'compacted') messages.splice(0, change.removed, change.summary);
}

/** How many messages a transcript of `length` has after a change. */
export function lengthAfter(length: number, change: SessionChange): number {
  if (change.kind === 'appended') return length + change.messages.length;
  if (change.kind === 'truncated') return Math.min(length, change.keep);
  if (change.kind === 'compacted') return length - Math.min(length, change.removed) + 1;
  return length;
}
