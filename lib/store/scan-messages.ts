import { createSlices } from '../base/next-turn.ts';
import type { StoredMessage } from '../wire/message.ts';
import type { MessageHits, MessageSearch } from './message-search.ts';
import { holdsWords } from './search-words.ts';

const longestMs = 3_000;
const mostCharacters = 64 * 1024 * 1024;
const sliceMs = 8;

/**
 * Searches transcripts without an index: reads one after the other, in slices that leave the event loop free, until
 * there is one hit more than wanted or it has read 64 M characters or for 3 s. A transcript that can't be read is passed over.
 */
export async function scanMessages(
  search: MessageSearch,
  readMessages: (sessionId: string) => Promise<readonly StoredMessage[]>,
): Promise<MessageHits> {
  const hits: MessageHits['hits'] = [];
  const ends = performance.now() + longestMs;
  let characters = 0;
  const slices = createSlices(sliceMs);
  for (const sessionId of search.sessionIds) {
    const enough = performance.now() > ends || characters > mostCharacters;
    if (enough || search.signal.aborted) return { hits, truncated: true };
    const transcript = await readMessages(sessionId).catch(() => []);
    const messages: StoredMessage[] = [];
    for (const message of transcript.toReversed()) {
      if (slices.over) await slices.next();
      characters += message.content.length;
      if (!message.hidden && holdsWords(message.content, search.words)) messages.push(message);
      if (messages.length === search.perSession) break;
    }
    if (messages.length === 0) continue;
    if (hits.length === search.limit) return { hits, truncated: true };
    hits.push({ sessionId, messages });
  }
  return { hits, truncated: false };
}
