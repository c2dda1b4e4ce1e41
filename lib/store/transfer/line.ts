import { crc32 } from 'node:zlib';
import type { StoredMessage } from '../../wire/message.ts';
import type { SessionRecord } from '../../wire/session.ts';
import { faultOf } from './line-shapes.ts';

/**
 * An export is a file of JSON lines, each closed by a checksum of itself: a head, then every session followed by its
 * images and its messages, then the small values, on request the accounts, and an end that says how many there were.
 */
export type Line =
  | { kind: 'export'; version: 1; product: string; driver: string; at: string }
  | { kind: 'session'; record: SessionRecord }
  | { kind: 'image'; session: string; hash: string; data: string }
  | { kind: 'message'; session: string; message: StoredMessage }
  | { kind: 'value'; key: string; value: string }
  | { kind: 'accounts'; content: unknown }
  | { kind: 'end'; sessions: number; images: number; messages: number };

/** What follows the text that the checksum is of: `,"crc32":"0123abcd"}`. */
const closingLength = 20;

/** A line as it is written, with its line end. */
export function encodeLine(line: Line): string {
  const text = JSON.stringify(line).slice(0, -1);
  return `${text},"crc32":"${hex(crc32(text))}"}\n`;
}

/**
 * Reads a line; `bytes` is undefined for one that is too long. Throws an Error that says in words what is wrong, named
 * `LaterFormat` for the head of an export of a later release. A line that a person wrote may leave the checksum out.
 */
export function decodeLine(bytes: Buffer | undefined): Line {
  if (bytes === undefined) throw new Error('it is longer than any line of an export');
  const closing = /^,"crc32":"([0-9a-f]{8})"\}$/.exec(bytes.toString('latin1', bytes.length - closingLength));
  if (closing && closing[1] !== hex(crc32(bytes.subarray(0, bytes.length - closingLength))))
    throw new Error('its checksum does not match');
  const { crc32: _checksum, ...line } = parse(bytes);
  const fault = faultOf(line);
  if (fault !== undefined) throw new Error(fault);
  return line as Line;
}

function parse(bytes: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new Error('it is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it is not a JSON object');
  return { ...value };
}

function hex(value: number): string {
  return value.toString(16).padStart(8, '0');
}
