import { nextTurn } from '../../base/next-turn.ts';
import type { Database, Row } from './database.ts';
import { type KnownSession, knownFromRow } from './known-session.ts';
import { countPartitions } from './migrations.ts';
import { newSecret } from './seal.ts';

/** Fills `known` with every session, part by part. Resolves to the ids of those whose record can't be read. */
export async function loadSessions(database: Database, known: Map<string, KnownSession>): Promise<string[]> {
  const aside: string[] = [];
  const partitions = await countPartitions(database, 'sessions');
  for (let part = 0; part < partitions; part++) {
    const sql = `SELECT id, revision, first_position, length, record, secret FROM sessions_${part}`;
    const rows = await database.query({ sql });
    await giveSecrets(
      database,
      part,
      rows.filter(({ secret }) => secret === null),
    );
    for (const row of rows) {
      try {
        known.set(String(row.id), knownFromRow(row));
      } catch {
        aside.push(String(row.id));
      }
    }
    await nextTurn();
  }
  return aside;
}

/** A version before did not seal. Stored before anything is sealed with them; `rows` get them too. */
async function giveSecrets(database: Database, part: number, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  for (const row of rows) row.secret = newSecret();
  await database.query({
    sql: `UPDATE sessions_${part} AS session SET secret = given.secret
      FROM unnest($1::text[], $2::text[]) AS given (id, secret) WHERE session.id = given.id`,
    values: [rows.map(({ id }) => String(id)), rows.map(({ secret }) => String(secret))],
  });
}
