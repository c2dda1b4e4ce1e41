import { crc32 } from 'node:zlib';
import { createSlices, nextTurn } from '../base/next-turn.ts';
import type { FilePort } from './file-port.ts';
import { checksum } from './log-record.ts';

/**
 * A JSON file that can be written and read in slices, looked into by its first line, and checked:
 * `{<head>,"<list>":[` / one item per line / `],"crc32":"<8 hex>"}`. The checksum covers everything before the last line.
 */
export interface LineDocument {
  head: unknown;
  items: unknown[];
}

const chunkBytes = 128 * 1024;
const sliceMs = 8;

/** The bytes of a document, a chunk at a time; the caller's writes between the chunks let other work run. */
export function* documentChunks(head: object, list: string, items: Iterable<unknown>): Generator<Buffer> {
  let value = 0;
  let text = `${JSON.stringify(head).slice(0, -1)},"${list}":[\n`;
  let separator = '';
  for (const item of items) {
    text += separator + JSON.stringify(item);
    separator = ',\n';
    if (text.length < chunkBytes) continue;
    const chunk = Buffer.from(text);
    value = crc32(chunk, value);
    text = '';
    yield chunk;
  }
  const rest = Buffer.from(separator ? `${text}\n` : text);
  yield Buffer.concat([rest, Buffer.from(`],"crc32":"${checksum(rest, value)}"}\n`)]);
}

/** Reads a whole document in slices that leave the event loop free. Undefined when there is no such file; throws when it is damaged. */
export async function readDocument(files: FilePort, path: string): Promise<LineDocument | undefined> {
  const bytes = await files.read(path);
  if (bytes === undefined) return undefined;
  const end = bytes.lastIndexOf('\n],"crc32":"') + 1;
  const first = bytes.indexOf('\n') + 1;
  if (end === 0 || first === 0 || first > end) throw new Error('it is incomplete');
  if (bytes.toString('latin1', end + 11, end + 19) !== (await checksumInSlices(bytes.subarray(0, end))))
    throw new Error('its checksum does not match');
  const items: unknown[] = [];
  const slices = createSlices(sliceMs);
  for (let at = first; at < end; ) {
    const stop = lineEnd(bytes, at, end);
    // The last line of the list has no comma.
    const comma = bytes[stop - 2] === 0x2c ? 1 : 0;
    for (const item of JSON.parse(`[${bytes.toString('utf8', at, stop - 1 - comma)}]`)) items.push(item);
    at = stop;
    if (slices.over) await slices.next();
  }
  return { head: parseHead(bytes.subarray(0, first)), items };
}

/** Where the lines from `at` end that are parsed together: some 128 KB of them, or one that is longer. */
function lineEnd(bytes: Buffer, at: number, end: number): number {
  if (end - at <= chunkBytes) return end;
  const before = bytes.lastIndexOf(0x0a, at + chunkBytes);
  return (before < at ? bytes.indexOf(0x0a, at + chunkBytes) : before) + 1;
}

/** The head alone, unchecked: one short read. Undefined when there is no such file; throws when it can't be understood. */
export async function readDocumentHead(files: FilePort, path: string): Promise<unknown> {
  for (let length = 4096; ; length *= 8) {
    const bytes = await files.readHead(path, length);
    if (bytes === undefined) return undefined;
    const end = bytes.indexOf(0x0a);
    if (end >= 0) return parseHead(bytes.subarray(0, end + 1));
    if (bytes.length < length) throw new Error('it is incomplete');
  }
}

function parseHead(line: Buffer): unknown {
  return JSON.parse(`${line.toString('utf8')}]}`);
}

async function checksumInSlices(bytes: Buffer): Promise<string> {
  const step = 4 * 1024 * 1024;
  let value = 0;
  for (let at = 0; at < bytes.length; at += step) {
    if (at > 0) await nextTurn();
    value = crc32(bytes.subarray(at, at + step), value);
  }
  return value.toString(16).padStart(8, '0');
}
