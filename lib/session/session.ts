import type { SessionChange } from '../store/change.ts';
import type { SessionEvent } from '../wire/event.ts';
import type { StoredMessage } from '../wire/message.ts';
import type { SessionRecord } from '../wire/session.ts';

/** One conversation. The only way to change it is `commit`, so memory, disk and events never disagree. */
export interface Session {
  readonly id: string;
  readonly tenantId: string;
  /** Replaced by every commit, never mutated: holding one is holding a snapshot. */
  readonly record: SessionRecord;
  /** The transcript; throws unless `load` resolved and the session is still pinned or active. */
  readonly messages: readonly StoredMessage[];
  /** Brings the transcript into memory. */
  load(): Promise<void>;
  /**
   * Applies the change in memory at once, stores it, and publishes `events` once it is durable; events published later wait
   * behind it, so the order never changes. Rejects when it can't be stored; memory is then as before.
   */
  commit(change: SessionChange, events?: readonly OutgoingEvent[]): Promise<void>;
  /** Publishes an event that needs no record (a delta, a notice), after everything committed before it. */
  publish(event: SessionEvent): void;
  /** The id of the active run, while there is one. */
  readonly activeRunId: string | undefined;
}

/** An event, or one whose wire form is made when somebody reads it. */
export type OutgoingEvent = SessionEvent | { event: SessionEvent; expand: () => Promise<SessionEvent> };
