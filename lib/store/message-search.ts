import type { StoredMessage } from '../wire/message.ts';

export interface MessageSearch {
  tenantId: string;
  /** As `searchableWords` gives them; a message matches when each begins a word of its content. */
  words: readonly string[];
  /** The sessions to search, in the order of the answer. */
  sessionIds: readonly string[];
  /** At most so many sessions. */
  limit: number;
  /** At most so many messages of each, latest first. */
  perSession: number;
  signal: AbortSignal;
}

export interface MessageHits {
  hits: { sessionId: string; messages: StoredMessage[] }[];
  /** True when there are more, or may be because not everything was looked at. */
  truncated: boolean;
}
