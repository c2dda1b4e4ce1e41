import type { StoredMessage } from '../../wire/message.ts';
import type { SessionCommit } from '../change.ts';
import { searchableWords } from '../search-words.ts';
import type { SqlValue, Statement } from './database.ts';
import { follow, type KnownSession, type Overlay } from './known-session.ts';
import { seal } from './seal.ts';

/** One batch: the commits of many sessions as few statements. */
export interface Batch {
  commits: SessionCommit[];
  statements: Statement[];
  /** What is known once it is durable. */
  after: Overlay;
}

/**
 * Turns commits that were not refused into statements, in order. Appended messages of all sessions become one insert,
 * as long as nothing in between removes any; a session is written once, as it is at the end. One that is created takes the
 * place of what is left of it `aside`, in the tables and unreadable.
 */
export function batchStatements(
  commits: SessionCommit[],
  known: ReadonlyMap<string, KnownSession>,
  aside: ReadonlySet<string> = new Set(),
): Batch {
  const after: Overlay = new Map();
  const replaced = commits.filter(({ change, sessionId }) => change.kind === 'created' && aside.has(sessionId));
  const statements = replaced.length === 0 ? [] : removeSessions(replaced.map(({ sessionId }) => sessionId));
  const doomed = new Set(commits.filter(({ change }) => change.kind === 'deleted').map(({ sessionId }) => sessionId));
  let [messages, words] = [emptyRows(), emptyRows()];

  const write = (...more: Statement[]): void => {
    const inserts = [insertMessages(messages), insertWords(words), ...more].filter((each) => each !== undefined);
    if (inserts.length > 0) statements.push(together(inserts));
    [messages, words] = [emptyRows(), emptyRows()];
  };
  const add = (session: KnownSession, position: number, message: StoredMessage): void => {
    const { id } = session.record;
    addRow(messages, id, position, seal(session.secret, JSON.stringify(message)));
    const found = message.hidden ? [] : searchableWords(message.content);
    if (found.length > 0) addRow(words, id, position, found.join(' '));
  };

  for (const commit of commits) {
    const { sessionId, change } = commit;
    const before = after.has(sessionId) ? after.get(sessionId) : known.get(sessionId);
    const next = follow(commit, before);
    after.set(sessionId, next);
    if (doomed.has(sessionId) || !before || !next) continue;
    if (change.kind === 'appended')
      for (const [index, message] of change.messages.entries())
        add(next, before.first + before.length + index, message);
    if (change.kind === 'truncated') {
      write();
      statements.push(removeMessages('session_id = $1 AND position >= $2', [sessionId, next.first + next.length]));
    }
    if (change.kind === 'compacted') {
      write();
      statements.push(removeMessages('session_id = $1 AND position <= $2', [sessionId, next.first]));
      add(next, next.first, change.summary);
    }
  }
  const changed = [...after.values()].filter((session) => session !== undefined);
  write(...(changed.length > 0 ? [writeSessions(changed)] : []));
  if (doomed.size > 0) statements.push(...removeSessions([...doomed]));
  return { commits, statements, after };
}

/** `texts`: of `messages` the sealed ones in base64, of `message_words` the words of each. */
interface Rows {
  sessions: string[];
  positions: number[];
  texts: string[];
}

function emptyRows(): Rows {
  return { sessions: [], positions: [], texts: [] };
}

function addRow(rows: Rows, sessionId: string, position: number, text: string): void {
  rows.sessions.push(sessionId);
  rows.positions.push(position);
  rows.texts.push(text);
}

/** `body` held the message in the clear before there was `sealed`. */
function insertMessages({ sessions, positions, texts }: Rows): Statement | undefined {
  if (sessions.length === 0) return undefined;
  return {
    sql: `INSERT INTO messages (session_id, position, body, sealed)
      SELECT session_id, position, '', decode(text, 'base64')
      FROM unnest($1::text[], $2::bigint[], $3::text[]) AS row (session_id, position, text)`,
    values: [sessions, positions, texts],
  };
}

function insertWords({ sessions, positions, texts }: Rows): Statement | undefined {
  if (sessions.length === 0) return undefined;
  return {
    sql: `INSERT INTO message_words (session_id, position, words)
      SELECT session_id, position, array_to_tsvector(string_to_array(text, ' '))
      FROM unnest($1::text[], $2::bigint[], $3::text[]) AS row (session_id, position, text)`,
    values: [sessions, positions, texts],
  };
}

function writeSessions(changed: readonly KnownSession[]): Statement {
  return {
    sql: `INSERT INTO sessions (id, tenant_id, revision, first_position, length, record, secret)
      SELECT id, tenant_id, revision, first_position, length, record, secret
      FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])
        AS row (id, tenant_id, revision, first_position, length, record, secret)
      ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, first_position = excluded.first_position,
        length = excluded.length, record = excluded.record`,
    values: [
      changed.map(({ record }) => record.id),
      changed.map(({ record }) => record.tenantId),
      changed.map(({ record }) => record.revision),
      changed.map(({ first }) => first),
      changed.map(({ length }) => length),
      changed.map(({ record }) => JSON.stringify(record)),
      changed.map(({ secret }) => secret),
    ],
  };
}

/** As one statement, which is a transaction by itself: the usual batch then costs a third less. For different tables. */
function together(all: readonly Statement[]): Statement {
  const values: SqlValue[] = [];
  const written = all.map((each) => {
    const before = values.length;
    values.push(...(each.values ?? []));
    return each.sql.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + before}`);
  });
  const last = written.pop() ?? '';
  const first = written.map((sql, index) => `written_${index} AS (${sql})`);
  return { sql: first.length === 0 ? last : `WITH ${first.join(', ')} ${last}`, values };
}

function removeMessages(where: string, values: readonly SqlValue[]): Statement {
  return {
    sql: `WITH words_removed AS (DELETE FROM message_words WHERE ${where}) DELETE FROM messages WHERE ${where}`,
    values,
  };
}

/** `unerased` remembers what must still leave the files of the database. */
function removeSessions(ids: string[]): Statement[] {
  return [
    removeMessages('session_id = ANY($1::text[])', [ids]),
    {
      sql: `WITH removed AS (DELETE FROM sessions WHERE id = ANY($1::text[]) RETURNING id, tableoid::regclass::text AS name)
        INSERT INTO unerased (session_id, part)
        SELECT id, substring(name from '[0-9]+$')::integer FROM removed ON CONFLICT (session_id) DO NOTHING`,
      values: [ids],
    },
  ];
}
