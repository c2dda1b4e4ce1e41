import type { Clock } from '../base/clock.ts';
import type { StoredMessage } from '../wire/message.ts';
import type { LiveSession } from './live-session.ts';

/** Whoever loaded a transcript may use it for this long without a run, in milliseconds. */
const graceMs = 10_000;
/** How many of the oldest transcripts one change looks at, so that a change costs O(1) also when all are in use. */
const looksPerEviction = 32;

/** Keeps the transcripts in memory below a byte bound, least recently used first; those in use are never taken. */
export interface TranscriptCache {
  touched(session: LiveSession): void;
  forget(sessionId: string): void;
}

export function createTranscriptCache(clock: Clock, maxBytes: number): TranscriptCache {
  // In the order of use, with what each was counted as and how many messages were counted.
  const entries = new Map<string, { session: LiveSession; bytes: number; counted: number }>();
  let total = 0;

  const forget = (sessionId: string): void => {
    const entry = entries.get(sessionId);
    if (!entry) return;
    total -= entry.bytes;
    entries.delete(sessionId);
  };

  const evict = (): void => {
    const cutoff = clock.monotonic() - graceMs;
    let looks = looksPerEviction;
    for (const [id, { session }] of entries) {
      if (total <= maxBytes || looks-- === 0) return;
      if (!session.evictable || session.usedAt > cutoff) continue;
      session.evict();
      forget(id);
    }
  };

  return {
    touched(session) {
      const messages = session.resident?.messages;
      // One that arrives behind the deletion of its session would be counted for good: nobody forgets it again.
      if (!messages || session.removed) return forget(session.id);
      const entry = entries.get(session.id) ?? { session, bytes: 0, counted: 0 };
      entries.delete(session.id);
      if (messages.length < entry.counted) {
        total -= entry.bytes;
        entry.bytes = 0;
        entry.counted = 0;
      }
      for (; entry.counted < messages.length; entry.counted++) {
        const bytes = sizeOf(messages[entry.counted]);
        entry.bytes += bytes;
        total += bytes;
      }
      entries.set(session.id, entry);
      if (total > maxBytes) evict();
    },
    forget,
  };
}

/** About what a message costs in memory. */
function sizeOf(message: StoredMessage | undefined): number {
  if (!message) return 0;
  let bytes = 200 + 2 * (message.content.length + (message.reasoning?.length ?? 0));
  if (message.toolCalls) bytes += 2 * JSON.stringify(message.toolCalls).length;
  return bytes;
}
