import type { MessageRole } from './message.ts';
import type { SessionSummary } from './session.ts';

/** A message that holds every word of a search. */
export interface MessageMatch {
  messageId: string;
  role: MessageRole;
  createdAt: string;
  /** The text around the first match, at most some 200 characters. */
  snippet: string;
  /** Where in `snippet` the words are: start and end, in UTF-16 units. */
  highlights: [start: number, end: number][];
}

export interface SearchResult {
  session: SessionSummary;
  /** The title holds every word. */
  inTitle: boolean;
  /** The last few, latest first. */
  messages: MessageMatch[];
}

/** Answer of `GET /api/search`: sessions by their last change, latest first. */
export interface SearchAnswer {
  results: SearchResult[];
  /** There are more than these, or may be: the search was ended before it had seen everything. */
  truncated: boolean;
}
