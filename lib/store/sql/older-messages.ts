import { messageOf } from '../../base/caught.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { Database } from './database.ts';
import { checkpoint, writeUnsealedAnew } from './erasure.ts';
import type { Room } from './room.ts';
import { seal } from './seal.ts';

export interface OlderMessagesOptions {
  database: Database;
  room: Pick<Room, 'forCopy'>;
  clock: Clock;
  log: Logger;
  /** No two tasks of the upkeep run at once. */
  serialised: (work: () => Promise<void>) => Promise<void>;
  /** Nothing was written for a while. */
  quiet: () => boolean;
  isReadOnly: () => boolean;
}

export interface OlderMessages {
  /** Looks whether there are any; if so they are sealed little by little. */
  start(): Promise<void>;
  /** Whether there may be some. */
  areThere(): boolean;
  stop(): void;
}

interface Place {
  sessionId: string;
  position: number;
}

const beginAfterMs = 2_000;
/** Between two batches while others write, and between two looks whether they still do. */
const busyMs = 500;
const retryMs = 60_000;
/** A part is written anew in a quiet second, this long after it could have been at the latest. */
const latestMs = 600_000;
const atOnce = 32;
const beforeAll: Place = { sessionId: '', position: 0 };

/**
 * Seals the messages that a version before wrote in the clear, while the service runs. A few at a time, each batch a
 * transaction; then the part of the table is written anew, since updated rows stay in their pages like deleted ones. A
 * part is marked until that is on disk, so a crash only repeats work. Until then search looks at both tables.
 */
export function createOlderMessages(options: OlderMessagesOptions): OlderMessages {
  const { database, room, clock, log, serialised, quiet, isReadOnly } = options;
  const parts: number[] = [];
  let place = beforeAll;
  let sealedSince: number | undefined;
  let cancel: (() => void) | undefined;
  let stopped = false;

  return {
    async start() {
      const rows = await database.query({ sql: 'SELECT part FROM unsealed ORDER BY part' });
      parts.push(...rows.map(({ part }) => Number(part)));
      if (parts.length > 0) schedule(beginAfterMs);
    },
    areThere: () => parts.length > 0,
    stop() {
      stopped = true;
      cancel?.();
    },
  };

  function schedule(ms: number): void {
    if (stopped) return;
    cancel = clock.after(ms, () => {
      if (isReadOnly()) return schedule(retryMs);
      serialised(step).catch((error: unknown) => {
        const reason = messageOf(error);
        if (!stopped) log.warn('Messages of an earlier version are not sealed yet; that is tried again.', { reason });
        schedule(retryMs);
      });
    });
  }

  async function step(): Promise<void> {
    const [part] = parts;
    if (stopped || part === undefined) return;
    const last = await sealSome(database, part, place);
    if (last) {
      place = last;
      return schedule(quiet() ? 0 : busyMs);
    }
    sealedSince ??= clock.monotonic();
    if (!quiet() && clock.monotonic() - sealedSince < latestMs) return schedule(busyMs);
    if (!(await room.forCopy(await sizeOf(database, part)))) return schedule(retryMs);
    await finish(part);
    schedule(0);
  }

  async function finish(part: number): Promise<void> {
    await writeUnsealedAnew(database, part);
    await checkpoint(database);
    await database.query({ sql: 'DELETE FROM unsealed WHERE part = $1', values: [part] });
    parts.shift();
    place = beforeAll;
    sealedSince = undefined;
    if (parts.length === 0) log.info('All messages that an earlier version wrote are sealed.');
  }
}

/** Seals the next messages behind a place. Resolves to the last of them; undefined when there are no more. */
async function sealSome(database: Database, part: number, { sessionId, position }: Place): Promise<Place | undefined> {
  const rows = await database.query({
    sql: `SELECT session_id, position, body, secret
      FROM messages_${part} JOIN sessions ON sessions.id = session_id
      WHERE body <> '' AND (session_id, position) > ($1::text, $2::bigint)
      ORDER BY session_id, position LIMIT ${atOnce}`,
    values: [sessionId, position],
  });
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  const ids = rows.map(({ session_id }) => String(session_id));
  const positions = rows.map(({ position }) => Number(position));
  // A row that was removed meanwhile stays so: one that took its place is sealed, and has no body.
  await database.transaction([
    {
      sql: `INSERT INTO message_words (session_id, position, words)
        SELECT session_id, position, words FROM messages_${part}
        JOIN unnest($1::text[], $2::bigint[]) AS row (session_id, position) USING (session_id, position)
        WHERE body <> '' AND words IS NOT NULL`,
      values: [ids, positions],
    },
    {
      sql: `UPDATE messages_${part} AS message SET body = '', words = NULL, sealed = decode(row.text, 'base64')
        FROM unnest($1::text[], $2::bigint[], $3::text[]) AS row (session_id, position, text)
        WHERE message.session_id = row.session_id AND message.position = row.position AND body <> ''`,
      values: [ids, positions, rows.map(({ secret, body }) => seal(String(secret), String(body)))],
    },
  ]);
  return { sessionId: String(last.session_id), position: Number(last.position) };
}

async function sizeOf(database: Database, part: number): Promise<number> {
  const [row] = await database.query({ sql: `SELECT pg_table_size('messages_${part}') AS size` });
  return Number(row?.size);
}
