import type { StoredMessage } from '../../wire/message.ts';
import type { MessageHits, MessageSearch } from '../message-search.ts';
import type { Database } from './database.ts';

/** A word that more messages hold than this is searched for session by session, latest first. */
const common = 2_000;
const sessionsAtOnce = 50;

/**
 * Full-text search by the index. Rare words are looked up at once; common ones in the most recent sessions until there
 * are enough hits, so that no statement reads more than it has to: the database does one thing at a time.
 */
export async function searchMessages(database: Database, search: MessageSearch): Promise<MessageHits> {
  const query = search.words.map((word) => `'${word}':*`).join(' & ');
  const rows = await database.query({
    sql: `SELECT DISTINCT session_id, count(*) OVER () AS seen FROM (
        SELECT messages.session_id FROM messages JOIN sessions ON sessions.id = messages.session_id
        WHERE messages.words @@ $1::tsquery AND sessions.tenant_id = $2 LIMIT ${common}
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
    const messages = await matchesIn(database, ids, { query, perSession: search.perSession });
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
  { query, perSession }: { query: string; perSession: number },
): Promise<Map<string, StoredMessage[]>> {
  const rows = await database.query({
    sql: `SELECT session_id, body FROM (
        SELECT session_id, position, body, row_number() OVER (PARTITION BY session_id ORDER BY position DESC) AS place
        FROM messages WHERE session_id = ANY($1::text[]) AND words @@ $2::tsquery
      ) AS matching WHERE place <= $3 ORDER BY session_id, position DESC`,
    values: [sessionIds, query, perSession],
  });
  const messages = new Map<string, StoredMessage[]>();
  for (const { session_id, body } of rows) {
    const id = String(session_id);
    messages.set(id, [...(messages.get(id) ?? []), JSON.parse(String(body))]);
  }
  return messages;
}
