import type { SessionChange } from '../store/change.ts';
import type { SessionEvent } from '../wire/event.ts';
import type { StoredMessage } from '../wire/message.ts';
import type { SessionRecord } from '../wire/session.ts';

/** An event, or one whose wire form is made when somebody reads it. */
export type OutgoingEvent = SessionEvent | { event: SessionEvent; expand: () => Promise<SessionEvent> };

/** One conversation. The only way to change it is `commit`, so memory, disk and events never disagree. */
export interface Session {
  readonly id: string;
  readonly tenantId: string;
  /** Replaced by every commit, never mutated: holding one is holding a snapshot. */
  readonly record: SessionRecord;
  /** The transcript. Throws unless `load` resolved shortly before, or a run is active. */
  readonly messages: readonly StoredMessage[];
  /** Brings the transcript into memory. */
  load(): Promise<void>;
  /**
   * Applies the change in memory at once, stores it, and publishes `events` once it is durable; whatever is published
   * later waits behind it, so the order never changes. `updatedAt` is set here. Rejects when the change can't be stored;
   * memory is then as before, and so is everything committed behind it; and when the session was removed.
   */
  commit(change: SessionChange, events?: (record: SessionRecord) => readonly OutgoingEvent[]): Promise<void>;
  /** Resolves when everything committed so far is stored or taken back. Never rejects. */
  settled(): Promise<void>;
  /** Everything committed so far is stored or taken back, and was told: nothing that was published waits behind it. */
  readonly isSettled: boolean;
  /**
   * Publishes an event that needs no record (a delta, a notice), after everything committed before it. `atOnce`: subscribers get
   * it, and what waits before it, without the rest of this turn of the event loop.
   */
  publish(event: SessionEvent, options?: { atOnce?: boolean }): void;
  /** The id of the active run: the reservation that makes a session busy. */
  activeRunId: string | undefined;
  /** True from the moment a deletion began. */
  readonly removed: boolean;
  /** Sets the status in memory alone: for a run that ended while nothing could be stored. */
  setStatusInMemory(status: SessionRecord['status']): void;
}
