import type { StoredMessage } from '../../wire/message.ts';
import type { SessionCommit } from '../change.ts';
import { searchableWords } from '../search-words.ts';
import type { Statement } from './database.ts';
import { follow, type KnownSession, type Overlay } from './known-session.ts';

/** One batch: the commits of many sessions as few statements. */
export interface Batch {
  commits: SessionCommit[];
  statements: Statement[];
  /** What is known once it is durable. */
  after: Overlay;
}

/**
 * Turns commits that were not refused into statements, in order. Appended messages of all sessions become one insert,
 * as long as nothing in between removes any; a session is written once, as it is at the end.
 */
export function batchStatements(commits: SessionCommit[], known: ReadonlyMap<string, KnownSession>): Batch {
  const after: Overlay = new Map();
  const statements: Statement[] = [];
  const doomed = new Set(commits.filter(({ change }) => change.kind === 'deleted').map(({ sessionId }) => sessionId));
  let rows = emptyRows();

  const flush = (): void => {
    if (rows.sessions.length > 0) statements.push(insertMessages(rows));
    rows = emptyRows();
  };
  const add = (sessionId: string, position: number, message: StoredMessage): void => {
    rows.sessions.push(sessionId);
    rows.positions.push(position);
    rows.bodies.push(JSON.stringify(message));
    rows.words.push(message.hidden ? '' : searchableWords(message.content).join(' '));
  };

  for (const commit of commits) {
    const { sessionId, change } = commit;
    const before = after.has(sessionId) ? after.get(sessionId) : known.get(sessionId);
    const next = follow(commit, before);
    after.set(sessionId, next);
    if (doomed.has(sessionId) || !before || !next) continue;
    if (change.kind === 'appended')
      for (const [index, message] of change.messages.entries())
        add(sessionId, before.first + before.length + index, message);
    if (change.kind === 'truncated') {
      flush();
      statements.push({
        sql: 'DELETE FROM messages WHERE session_id = $1 AND position >= $2',
        values: [sessionId, next.first + next.length],
      });
    }
    if (change.kind === 'compacted') {
      flush();
      statements.push({
        sql: 'DELETE FROM messages WHERE session_id = $1 AND position <= $2',
        values: [sessionId, next.first],
      });
      add(sessionId, next.first, change.summary);
    }
  }
  const changed = [...after.values()].filter((session) => session !== undefined);
  if (statements.length === 0 && rows.sessions.length > 0 && changed.length > 0)
    statements.push(together(insertMessages(rows), writeSessions(changed)));
  else {
    flush();
    if (changed.length > 0) statements.push(writeSessions(changed));
  }
  if (doomed.size > 0) statements.push(...removeSessions([...doomed]));
  return { commits, statements, after };
}

interface MessageRows {
  sessions: string[];
  positions: number[];
  bodies: string[];
  words: string[];
}

function emptyRows(): MessageRows {
  return { sessions: [], positions: [], bodies: [], words: [] };
}

function insertMessages({ sessions, positions, bodies, words }: MessageRows): Statement {
  return {
    sql: `INSERT INTO messages (session_id, position, body, words)
      SELECT session_id, position, body, CASE WHEN words = '' THEN NULL ELSE array_to_tsvector(string_to_array(words, ' ')) END
      FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS row (session_id, position, body, words)`,
    values: [sessions, positions, bodies, words],
  };
}

function writeSessions(changed: readonly KnownSession[]): Statement {
  return {
    sql: `INSERT INTO sessions (id, tenant_id, revision, first_position, length, record)
      SELECT id, tenant_id, revision, first_position, length, record
      FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[])
        AS row (id, tenant_id, revision, first_position, length, record)
      ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, first_position = excluded.first_position,
        length = excluded.length, record = excluded.record`,
    values: [
      changed.map(({ record }) => record.id),
      changed.map(({ record }) => record.tenantId),
      changed.map(({ record }) => record.revision),
      changed.map(({ first }) => first),
      changed.map(({ length }) => length),
      changed.map(({ record }) => JSON.stringify(record)),
    ],
  };
}

/** Both as one statement, which is a transaction by itself: the usual batch then costs a third less. */
function together(first: Statement, second: Statement): Statement {
  const { values: before = [] } = first;
  const { values = [] } = second;
  const renumbered = second.sql.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + before.length}`);
  return { sql: `WITH messages_written AS (${first.sql}) ${renumbered}`, values: [...before, ...values] };
}

/** `unerased` remembers what must still leave the files of the database. */
function removeSessions(ids: string[]): Statement[] {
  return [
    { sql: 'DELETE FROM messages WHERE session_id = ANY($1::text[])', values: [ids] },
    {
      sql: `WITH removed AS (DELETE FROM sessions WHERE id = ANY($1::text[]) RETURNING id, tableoid::regclass::text AS name)
        INSERT INTO unerased (session_id, part)
        SELECT id, substring(name from '[0-9]+$')::integer FROM removed ON CONFLICT (session_id) DO NOTHING`,
      values: [ids],
    },
  ];
}
