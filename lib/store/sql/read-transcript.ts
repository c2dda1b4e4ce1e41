import { createSlices } from '../../base/next-turn.ts';
import type { StoredMessage } from '../../wire/message.ts';
import { unreadable } from '../not-stored.ts';
import type { Database, Row } from './database.ts';
import { messageColumns, messageFromRow } from './stored-message.ts';

const sliceMs = 8;

/**
 * Resolves to undefined when the session is not there. Count and rows are of one moment: a transcript with a hole is
 * never taken for a whole one, and rejects as `TranscriptUnreadable`.
 */
export async function readTranscript(database: Database, sessionId: string): Promise<StoredMessage[] | undefined> {
  const values = [sessionId];
  const [counted, rows = []] = await database.transaction([
    { sql: 'SELECT length, secret FROM sessions WHERE id = $1', values },
    { sql: `SELECT ${messageColumns} FROM messages WHERE session_id = $1 ORDER BY position`, values },
  ]);
  const [session] = counted ?? [];
  if (session === undefined) return undefined;
  if (Number(session.length) !== rows.length)
    throw unreadable(sessionId, new Error(`${rows.length} of ${Number(session.length)} messages are there`));
  const messages: StoredMessage[] = [];
  const slices = createSlices(sliceMs);
  for (const row of rows) {
    messages.push(messageOfRow(sessionId, { ...row, secret: session.secret }));
    if (slices.over) await slices.next();
  }
  return messages;
}

function messageOfRow(sessionId: string, row: Row): StoredMessage {
  try {
    return messageFromRow(row);
  } catch (error) {
    throw unreadable(sessionId, error);
  }
}
