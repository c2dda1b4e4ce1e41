import type { App } from '../app.ts';
import { createFairQueue } from '../base/fair-queue.ts';
import { nextTurn } from '../base/next-turn.ts';
import { toSummary } from '../session/summary.ts';
import type { MessageHits, MessageSearch } from '../store/message-search.ts';
import { scanMessages } from '../store/scan-messages.ts';
import { findWords, holdsWords, searchableWords } from '../store/search-words.ts';
import { ServiceError } from '../wire/errors.ts';
import type { StoredMessage } from '../wire/message.ts';
import type { MessageMatch, SearchAnswer, SearchResult } from '../wire/search.ts';
import type { SessionRecord } from '../wire/session.ts';
import { wholeNumber } from './query-values.ts';

export interface SearchQuery {
  words: string[];
  /** At most so many sessions. */
  limit: number;
}

/**
 * Searches the titles and messages of a tenant's sessions: one at a time for each tenant and two in all, by turns, so that
 * nobody's searches can crowd out another's or the rest. Throws `overloaded` (429) when the tenant has 20 waiting.
 */
export type Search = (tenantId: string, query: SearchQuery, signal: AbortSignal) => Promise<SearchAnswer>;

const longestQuery = 200;
const mostWaiting = 20;
const mostWords = 10;
const perSession = 3;
const before = 60;
const snippetLength = 200;

/** `?q=words&limit=20`. Throws `invalid_body` and says which parameter is wrong. */
export function readSearchQuery(params: URLSearchParams): SearchQuery {
  const q = params.get('q') ?? '';
  const words = searchableWords(q);
  if (words.length === 0 || q.length > longestQuery)
    throw new ServiceError('invalid_body', `"q" must hold a word, in at most ${longestQuery} characters.`, {
      details: { path: 'q' },
    });
  return { words: words.slice(0, mostWords), limit: wholeNumber(params, 'limit', 100) ?? 20 };
}

export function createSearch(app: Pick<App, 'sessions' | 'store'>): Search {
  const queue = createFairQueue({ atOnce: 2, perParty: mostWaiting });
  return async (tenantId, query, signal) => {
    try {
      return await queue.add(tenantId, () => search(app, tenantId, { ...query, signal }), signal);
    } catch (error) {
      // Nobody reads it any more.
      if (signal.aborted) return { results: [], truncated: true };
      throw error instanceof Error && error.name === 'QueueFull' ? tooMany() : error;
    }
  };
}

function tooMany(): ServiceError {
  return new ServiceError('overloaded', `${mostWaiting} searches are waiting already. Try again in a moment.`, {
    status: 429,
    headers: { 'retry-after': '3' },
  });
}

async function search(
  app: Pick<App, 'sessions' | 'store'>,
  tenantId: string,
  { words, limit, signal }: SearchQuery & { signal: AbortSignal },
): Promise<SearchAnswer> {
  const records = app.sessions.list(tenantId);
  const titled = await sessionsTitled(records, words);
  const sessionIds = records.filter(({ messageCount }) => messageCount > 0).map(({ id }) => id);
  const found = await findMessages(app, { tenantId, words, sessionIds, limit, perSession, signal });
  const messages = new Map(found.hits.map((hit) => [hit.sessionId, hit.messages]));

  const results: SearchResult[] = [];
  let more = found.truncated;
  for (const { id } of records) {
    const inTitle = titled.has(id);
    const matching = messages.get(id) ?? [];
    // Looked up again: it may have changed or gone while the search ran.
    const session = inTitle || matching.length > 0 ? app.sessions.find(tenantId, id) : undefined;
    if (!session) continue;
    if (results.length === limit) {
      more = true;
      break;
    }
    results.push({
      session: toSummary(session.record),
      inTitle,
      messages: matching.map((message) => matchIn(message, words)),
    });
  }
  return { results, truncated: more };
}

async function sessionsTitled(records: readonly SessionRecord[], words: readonly string[]): Promise<Set<string>> {
  const titled = new Set<string>();
  for (const [index, { id, title }] of records.entries()) {
    if (holdsWords(title, words)) titled.add(id);
    if (index % 1_000 === 999) await nextTurn();
  }
  return titled;
}

/** By the index where the driver has one, else by reading. */
async function findMessages(app: Pick<App, 'sessions' | 'store'>, search: MessageSearch): Promise<MessageHits> {
  if (app.store.searchMessages) return app.store.searchMessages(search);
  return scanMessages(
    search,
    async (id) => app.sessions.resident(id)?.messages ?? app.store.readMessages(search.tenantId, id),
  );
}

function matchIn({ id, role, createdAt, content }: StoredMessage, words: readonly string[]): MessageMatch {
  const places = findWords(content, words, 20);
  const start = wholeCharacter(content, Math.max(0, (places[0]?.[0] ?? 0) - before));
  const end = wholeCharacter(content, Math.min(content.length, start + snippetLength));
  const highlights = places
    .filter(([, to]) => to <= end)
    .map(([from, to]): [number, number] => [from - start, to - start]);
  return { messageId: id, role, createdAt, snippet: content.slice(start, end), highlights };
}

/** Moves a cut out of the middle of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
