import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import type { GitObject, ObjectType } from './object-store.ts';

// Git packs (version 2, index version 2) whose objects are all whole: no deltas are made, and none are read.

const typeNumbers: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3 };
const typeNames: readonly (ObjectType | undefined)[] = [undefined, 'commit', 'tree', 'blob'];

export interface PackWriter {
  add(oid: string, type: ObjectType, content: Buffer): void;
  /** Finishes both files; returns the name that the pack must get (`pack-<name>.pack`, `.idx`) and its size in bytes. */
  finish(): { name: string; bytes: number };
  /** Closes what is open; after `finish`, nothing. */
  abort(): void;
}

/** Writes a pack to `path` and its index to `path` + `.idx`, neither synced. Memory: about 100 bytes per object. */
export function createPackWriter(path: string): PackWriter {
  const fd = openSync(path, 'wx+', 0o444);
  let isOpen = true;
  const entries: { oid: string; crc: number; offset: number }[] = [];
  let offset = 12;
  let waiting: Buffer[] = [packHeader(0)];
  let waitingBytes = 12;
  const flush = (): void => {
    writeAll(fd, Buffer.concat(waiting));
    waiting = [];
    waitingBytes = 0;
  };
  /** Once: another thread may have been given the number of the descriptor since. */
  const close = (): void => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  return {
    add(oid, type, content) {
      const bytes = Buffer.concat([objectHeader(type, content.length), deflateSync(content, { level: 1 })]);
      entries.push({ oid, crc: crc32(bytes), offset });
      offset += bytes.length;
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes > 1024 * 1024) flush();
    },
    finish() {
      flush();
      writeSync(fd, packHeader(entries.length), 0, 12, 0);
      const digest = hashOf(fd, offset);
      writeSync(fd, digest, 0, digest.length, offset);
      close();
      const index = encodeIndex(entries, digest);
      writeFileSync(`${path}.idx`, index, { flag: 'wx', mode: 0o444 });
      return { name: digest.toString('hex'), bytes: offset + digest.length + index.length };
    },
    abort: close,
  };
}

function packHeader(objects: number): Buffer {
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(objects, 8);
  return header;
}

function objectHeader(type: ObjectType, size: number): Buffer {
  const bytes = [(typeNumbers[type] << 4) | (size & 15)];
  for (let left = Math.floor(size / 16); left > 0; left = Math.floor(left / 128)) {
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) | 0x80;
    bytes.push(left & 0x7f);
  }
  return Buffer.from(bytes);
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

function hashOf(fd: number, length: number): Buffer {
  const hash = createHash('sha1');
  const chunk = Buffer.allocUnsafe(1024 * 1024);
  for (let at = 0; at < length; ) {
    const read = readSync(fd, chunk, 0, Math.min(chunk.length, length - at), at);
    if (read === 0) throw new Error('A pack ended early.');
    hash.update(chunk.subarray(0, read));
    at += read;
  }
  return hash.digest();
}

function encodeIndex(entries: { oid: string; crc: number; offset: number }[], packDigest: Buffer): Buffer {
  entries.sort((a, b) => (a.oid < b.oid ? -1 : 1));
  const count = entries.length;
  const large = entries.filter(({ offset }) => offset >= 0x80000000);
  const index = Buffer.alloc(8 + 1024 + count * 28 + large.length * 8 + 40);
  index.write('\xfftOc\0\0\0\x02', 0, 'latin1');
  const names = 8 + 1024;
  const crcs = names + count * 20;
  const offsets = crcs + count * 4;
  let largeAt = 0;
  const fanout = new Uint32Array(256);
  entries.forEach(({ oid, crc, offset }, at) => {
    index.write(oid, names + at * 20, 'hex');
    index.writeUInt32BE(crc, crcs + at * 4);
    const isLarge = offset >= 0x80000000;
    index.writeUInt32BE(isLarge ? 0x80000000 + largeAt : offset, offsets + at * 4);
    if (isLarge) index.writeBigUInt64BE(BigInt(offset), offsets + count * 4 + largeAt++ * 8);
    const first = Number.parseInt(oid.slice(0, 2), 16);
    fanout[first] = (fanout[first] ?? 0) + 1;
  });
  let sum = 0;
  fanout.forEach((number, at) => {
    sum += number;
    index.writeUInt32BE(sum, 8 + at * 4);
  });
  packDigest.copy(index, index.length - 40);
  createHash('sha1')
    .update(index.subarray(0, index.length - 20))
    .digest()
    .copy(index, index.length - 20);
  return index;
}

/** A pack that can be read; the index stays in memory (28 bytes per object). */
export interface PackReader {
  readonly path: string;
  /** Size of the pack and its index. */
  readonly bytes: number;
  has(oid: string): boolean;
  oids(): string[];
  /** Bytes that the object takes in the pack. */
  packedSize(oid: string): number;
  /** Undefined when the pack does not have it, or has it as a delta, which only another git could have made. */
  read(oid: string): GitObject | undefined;
  /** Type and size without the content. */
  header(oid: string): { type: ObjectType; size: number } | undefined;
}

/** `path` is the pack's; its index lies beside it. Throws when it is none of version 2. */
export function openPack(path: string, packBytes: number): PackReader {
  const index = readFileSync(path.replace(/pack$/, 'idx'));
  if (index.readUInt32BE(0) !== 0xff744f63 || index.readUInt32BE(4) !== 2)
    throw new Error('The index of a pack is not of version 2.');
  const count = index.readUInt32BE(8 + 255 * 4);
  const names = 8 + 1024;
  const offsets = names + count * 24;
  const nameAt = (at: number): string => index.toString('hex', names + at * 20, names + at * 20 + 20);
  const offsetAt = (at: number): number => {
    const offset = index.readUInt32BE(offsets + at * 4);
    return offset < 0x80000000
      ? offset
      : Number(index.readBigUInt64BE(offsets + count * 4 + (offset - 0x80000000) * 8));
  };
  const ends = Array.from({ length: count }, (_, at) => offsetAt(at)).sort((a, b) => a - b);
  ends.push(packBytes - 20);

  const find = (oid: string): number => {
    const wanted = Buffer.from(oid, 'hex');
    const first = wanted[0] ?? 0;
    let low = first === 0 ? 0 : index.readUInt32BE(8 + (first - 1) * 4);
    let high = index.readUInt32BE(8 + first * 4);
    while (low < high) {
      const middle = (low + high) >> 1;
      const order = index.compare(wanted, 0, 20, names + middle * 20, names + middle * 20 + 20);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  };
  const range = (at: number): { start: number; length: number } => {
    const start = offsetAt(at);
    return { start, length: (ends[position(ends, start) + 1] ?? start) - start };
  };
  const bytesOf = (at: number, most = Number.POSITIVE_INFINITY): Buffer => {
    const { start, length } = range(at);
    const bytes = Buffer.alloc(Math.min(length, most));
    const fd = openSync(path, 'r');
    try {
      for (let done = 0; done < bytes.length; ) {
        const read = readSync(fd, bytes, done, bytes.length - done, start + done);
        if (read === 0) throw new Error('A pack of the snapshots is cut off.');
        done += read;
      }
    } finally {
      closeSync(fd);
    }
    return bytes;
  };
  return {
    path,
    bytes: packBytes + index.length,
    has: (oid) => find(oid) >= 0,
    oids: () => Array.from({ length: count }, (_, at) => nameAt(at)),
    packedSize: (oid) => range(find(oid)).length,
    read(oid) {
      const at = find(oid);
      if (at < 0) return undefined;
      const bytes = bytesOf(at);
      const header = decodeHeader(bytes);
      return header && { type: header.type, content: inflateSync(bytes.subarray(header.length)) };
    },
    header(oid) {
      const at = find(oid);
      return at < 0 ? undefined : decodeHeader(bytesOf(at, 10));
    },
  };
}

function decodeHeader(bytes: Buffer): { type: ObjectType; size: number; length: number } | undefined {
  let byte = bytes[0] ?? 0;
  const type = typeNames[(byte >> 4) & 7];
  let size = byte & 15;
  let length = 1;
  for (let factor = 16; byte & 0x80; factor *= 128) {
    byte = bytes[length++] ?? 0;
    size += (byte & 0x7f) * factor;
  }
  return type && { type, size, length };
}

function position(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
