import type { Undo } from '../base/clock.ts';
import type { ServerEventEnvelope, SessionEvent } from '../wire/event.ts';

/** Who may see an event. Without `sessionId` it is not about one session; `adminOnly` events reach administrators of any tenant. */
export type EventScope = { tenantId: string; sessionId?: string } | { adminOnly: true };

/** What a subscriber asks for: one session, or all of a tenant (`admin` adds the administrator-only notices). */
export interface Subscription {
  tenantId: string;
  sessionId?: string;
  admin?: boolean;
  /**
   * Replay everything buffered with a greater seq first. Absent means live only; on the stream of a session, from the message
   * that started the run that is going on, or one that nobody was told the end of: who subscribes after sending misses nothing.
   */
  after?: number;
}

/**
 * A position in the buffer (contract: Stream format; DECISIONS.md, Events). Replay is a cursor that starts in the past,
 * live is the same cursor at the head: nothing between them is lost or sent twice. A cursor that nobody reads costs no memory.
 */
export interface EventCursor {
  /** The next frames as SSE text, up to about `maxBytes` (at least one frame); `undefined` when there is nothing new. */
  take(maxBytes: number): string | Promise<string> | undefined;
  /** Calls `fn` once when there is something to take (at once if there already is) or when the bus or the cursor closed. */
  whenReady(fn: () => void): void;
  /** True once the cursor is closed; also when the bus is, or the session deleted, and everything was taken. */
  readonly ended: boolean;
  /** Gives the position up, for instance when a token was rotated; who waits is called. Idempotent. */
  close(): void;
}

/** How full the buffer is and how far its readers are. */
export interface EventFigures {
  /** Events since the process started. */
  published: number;
  buffered: number;
  /** What the buffer holds, in characters. */
  bufferedCharacters: number;
  subscribers: number;
  /** Events that the slowest subscriber has not taken yet. */
  slowestBehind: number;
}

export interface EventBus {
  /**
   * Numbers the event, keeps it in the ring and wakes the subscribers that may see it: they are called as soon as the code that
   * runs is through, or at the end of this turn of the event loop when they were called just before. Never throws.
   * `expand` makes the wire form when it is costly to hold (messages with image bytes); the event given is then a
   * stand-in without them.
   */
  publish(scope: EventScope, event: SessionEvent, expand?: () => Promise<SessionEvent>): void;
  /** Calls the subscribers who were woken now, before anything else. Never throws. */
  deliver(): void;
  subscribe(subscription: Subscription): EventCursor;
  /** Somebody was told the state of a session, or of all of a tenant, by an answer: what led to it is no news any more. O(1). */
  shown(scope: { tenantId: string; sessionId?: string }): void;
  /** In-process listener over every tenant; `fn` must be quick and must not throw. For plugins and metrics. */
  listen(fn: (scope: EventScope, envelope: ServerEventEnvelope) => void): Undo;
  /** The seq of the newest envelope; the seed before the first one. */
  readonly lastSeq: number;
  /** O(subscribers): for a person or a scrape that asks. */
  figures(): EventFigures;
  /** Forgets what is buffered of a session but its `session.deleted`, and ends that session's cursors after it. */
  forget(scope: { tenantId: string; sessionId: string }): void;
  /** Publishes nothing more; cursors end when they have taken what is there. Idempotent. */
  close(): void;
}
