import { crc32 } from 'node:zlib';
import type { SessionChange, SessionCommit } from './change.ts';

/** A commit with its place in the log. Log sequence numbers (lsn) count from 1 without gaps. */
export interface LoggedCommit {
  lsn: number;
  commit: SessionCommit;
}

/**
 * One line of a segment.
 * - `start`: the first line; every record up to `after` stands in earlier segments, records beyond it there are void.
 * - `commit`: `durable` is the last lsn that was acknowledged when the record was written. It tells a torn batch
 *   (never acknowledged) from damage to a record that was.
 * - `void`: stands where a record of a deleted session stood.
 */
export type LogLine =
  | { kind: 'start'; after: number }
  | { kind: 'commit'; lsn: number; durable: number; commit: SessionCommit }
  | { kind: 'void'; lsn: number; durable: number };

interface WrittenLine {
  start?: boolean;
  after?: number;
  lsn?: number;
  durable?: number;
  void?: boolean;
  tenant?: string;
  session?: string;
  revision?: number;
  change?: SessionChange;
}

/** The part of a record that is known before its place in the log is. */
export function encodeCommit(commit: SessionCommit): string {
  const { tenantId, sessionId, revision, change } = commit;
  const owner = `"tenant":${JSON.stringify(tenantId)},"session":${JSON.stringify(sessionId)},"check":"${checksum(sessionId)}"`;
  return `${owner},"revision":${revision},"change":${JSON.stringify(change)}}`;
}

/** A record with its line feed. `body` is what `encodeCommit` made, `durable` the last lsn that was acknowledged. */
export function commitLine(body: string, lsn: number, durable: number): Buffer {
  return frame(`{"lsn":${lsn},"durable":${durable},${body}`);
}

/** What takes the place of a record of a deleted session. */
export function voidLine(lsn: number, durable: number): Buffer {
  return frame(`{"lsn":${lsn},"durable":${durable},"void":true}`);
}

/** The first line of a segment; `after` is the last lsn that counts before it. */
export function startLine(after: number): Buffer {
  return frame(`{"start":true,"after":${after}}`);
}

/** Reads one line (without its line feed). Undefined when the checksum or the shape is wrong. */
export function parseLine(line: Buffer): LogLine | undefined {
  if (line.length < 11 || line[8] !== 0x20) return undefined;
  const json = line.subarray(9);
  if (line.toString('latin1', 0, 8) !== checksum(json)) return undefined;
  try {
    return readLine(JSON.parse(json.toString('utf8')));
  } catch {
    return undefined;
  }
}

/** What a damaged line says of its owner: the session's id and the checksum of the id. Damage may have hit either. */
export interface OwnerTrace {
  session: string | undefined;
  check: string | undefined;
}

/** Whatever of its owner can be found in a damaged line. */
export function ownerIn(line: Buffer): OwnerTrace {
  const start = line.toString('latin1', 0, Math.min(line.length, 1024));
  return { session: /"session":"([^"]{1,128})"/.exec(start)?.[1], check: /"check":"([0-9a-f]{8})"/.exec(start)?.[1] };
}

/**
 * Which of these sessions the line belonged to: the one of the checksum, or the one that is named, if the checksum is
 * damaged. A whole one of a session that is not among them says that the id is what was damaged.
 */
export function ownerAmong(ids: Iterable<string>, { session, check }: OwnerTrace): string | undefined {
  let named: string | undefined;
  for (const id of ids) {
    if (check !== undefined && checksum(id) === check) return id;
    if (id === session) named = id;
  }
  return named === undefined || check === undefined || differences(checksum(named), check) < 2 ? named : undefined;
}

/** In how many places two texts of the same length differ. */
function differences(one: string, other: string): number {
  return [...one].filter((sign, at) => sign !== other[at]).length;
}

/** The owner that a damaged line names, when the damage has hit neither the id nor its checksum. */
export function claimedOwner({ session, check }: OwnerTrace): string | undefined {
  return session !== undefined && checksum(session) === check ? session : undefined;
}

/** Where further records start inside a line whose line feed was lost. */
export function recordStartsIn(line: Buffer): number[] {
  return [...line.toString('latin1').matchAll(/[0-9a-f]{8} \{"lsn":/g)]
    .map((match) => match.index)
    .filter((at) => at > 0);
}

/** CRC-32 as 8 hex digits; `value` is that of what stands before. */
export function checksum(bytes: Uint8Array | string, value = 0): string {
  return crc32(bytes, value).toString(16).padStart(8, '0');
}

function frame(json: string): Buffer {
  return Buffer.from(`${checksum(json)} ${json}\n`);
}

function readLine(line: WrittenLine): LogLine | undefined {
  if (line.start === true && typeof line.after === 'number') return { kind: 'start', after: line.after };
  const { lsn, durable, tenant, session, revision, change } = line;
  if (lsn === undefined || durable === undefined) return undefined;
  if (line.void === true) return { kind: 'void', lsn, durable };
  if (tenant === undefined || session === undefined || revision === undefined || !change) return undefined;
  return { kind: 'commit', lsn, durable, commit: { tenantId: tenant, sessionId: session, revision, change } };
}
