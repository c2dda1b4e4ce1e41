import type { StoredMessage } from '../../wire/message.ts';
import type { MessageHits, MessageSearch } from '../message-search.ts';
import type { Database } from './database.ts';
import { messageColumns, messageFromRow } from './stored-message.ts';

/** A word that more messages hold than this is searched for session by session, latest first. */
const common = 2_000;
const sessionsAtOnce = 50;
/** A version before kept the words beside the message; its index is there until the last of them has moved. */
const words = 'message_words';
const allWords = `(
  SELECT session_id, position, words FROM message_words UNION ALL
  SELECT session_id, position, words FROM messages WHERE words IS NOT NULL) AS message_words`;

/**
 * Full-text search by the index. Rare words are looked up at once; common ones in the most recent sessions until there
 * are enough hits, so that no statement reads more than it has to: the database does one thing at a time.
 * `older`: there may be messages of a version before.
 */
export async function searchMessages(
  database: Database,
  search: MessageSearch,
  { older }: { older: boolean },
): Promise<MessageHits> {
  const query = search.words.map((word) => `'${word}':*`).join(' & ');
  const from = older ? allWords : words;
  const rows = await database.query({
    sql: `SELECT DISTINCT session_id, count(*) OVER () AS seen FROM (
        SELECT session_id FROM ${from} JOIN sessions ON sessions.id = session_id
        WHERE words @@ $1::tsquery AND sessions.tenant_id = $2 LIMIT ${common}
      ) AS found`,
    values: [query, search.tenantId],
  });
  const isCommon = Number(rows[0]?.seen ?? 0) === common;
  const found = new Set(rows.map(({ session_id }) => String(session_id)));
  const candidates = isCommon ? search.sessionIds : search.sessionIds.filter((id) => found.has(id));

  const hits: MessageHits['hits'] = [];
  for (let at = 0; at < candidates.length && hits.length < search.limit; at += sessionsAtOnce) {
    if (search.signal.aborted) break;
    const ids = candidates.slice(at, at + sessionsAtOnce);
    const messages = await matchesIn(database, ids, { from, query, perSession: search.perSession });
    for (const sessionId of ids) {
      const ofSession = messages.get(sessionId);
      if (ofSession) hits.push({ sessionId, messages: ofSession });
    }
  }
  return { hits: hits.slice(0, search.limit), truncated: isCommon || candidates.length > search.limit };
}

async function matchesIn(
  database: Database,
  sessionIds: readonly string[],
  { from, query, perSession }: { from: string; query: string; perSession: number },
): Promise<Map<string, StoredMessage[]>> {
  const rows = await database.query({
    sql: `SELECT session_id, secret, ${messageColumns} FROM (
        SELECT session_id, position, row_number() OVER (PARTITION BY session_id ORDER BY position DESC) AS place
        FROM ${from} WHERE session_id = ANY($1::text[]) AND words @@ $2::tsquery
      ) AS matching JOIN messages USING (session_id, position) JOIN sessions ON sessions.id = session_id
      WHERE place <= $3 AND session_id = ANY($1::text[]) ORDER BY session_id, position DESC`,
    values: [sessionIds, query, perSession],
  });
  const messages = new Map<string, StoredMessage[]>();
  for (const row of rows) {
    const id = String(row.session_id);
    messages.set(id, [...(messages.get(id) ?? []), messageFromRow(row)]);
  }
  return messages;
}
