import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { constants, inflateSync } from 'node:zlib';
import { replaceFile } from './durable-files.ts';
import { createObjectBatch, encodeLoose, type ObjectBatch, publishPack } from './object-batch.ts';
import { createPackWriter, openPack, type PackReader } from './pack-file.ts';
import { incomingPath } from './record-index.ts';

export type ObjectType = 'blob' | 'tree' | 'commit';

export interface GitObject {
  type: ObjectType;
  content: Buffer;
}

/** The objects of one bare git repository: loose ones and packs without deltas, both also readable by git itself. */
export interface ObjectStore {
  has(oid: string): boolean;
  /** Undefined when it is not there, or stored in a way only another git writes. */
  read(oid: string): GitObject | undefined;
  /** Size of a blob in bytes. */
  size(oid: string): number | undefined;
  batch(): ObjectBatch;
  /** Writes one object to a file of its own, unsynced, over whatever is there; returns what it takes on disk. */
  writeLoose(oid: string, type: ObjectType, content: Buffer): number;
  /** False also for what a power cut has emptied. */
  isWhole(oid: string): boolean;
  /** Deletes one loose object, if it is there. */
  drop(oid: string): void;
  /** Deletes what is not in `keep`; a pack is rewritten when more than a quarter of it goes. Returns the bytes that stay. */
  retain(keep: ReadonlySet<string>): number;
}

/**
 * `durable` false leaves out fsync: then only a crash of the process is survived. Blocking; for a worker. Nothing is made
 * before the first object is.
 */
export function createObjectStore(gitDirectory: string, { durable }: { durable: boolean }): ObjectStore {
  const objects = join(gitDirectory, 'objects');
  const packs = join(objects, 'pack');
  const incoming = incomingPath(gitDirectory);
  // Batches that a crash interrupted.
  rmSync(incoming, { recursive: true, force: true });
  let open: PackReader[] | undefined;
  const packReaders = (): PackReader[] => (open ??= openPacks(packs));
  const loosePath = (oid: string): string => join(objects, oid.slice(0, 2), oid.slice(2));
  const packed = (oid: string): PackReader | undefined => packReaders().find((pack) => pack.has(oid));

  const store: ObjectStore = {
    has: (oid) => packed(oid) !== undefined || existsSync(loosePath(oid)),
    read(oid) {
      const fromPack = packed(oid)?.read(oid);
      if (fromPack) return fromPack;
      if (!existsSync(loosePath(oid))) return undefined;
      return decodeLoose(readFileSync(loosePath(oid)));
    },
    size: (oid) => packed(oid)?.header(oid)?.size ?? looseSize(loosePath(oid)),
    batch: () => createObjectBatch({ objects, incoming, durable, has: store.has, packAdded: () => (open = undefined) }),
    writeLoose(oid, type, content) {
      const bytes = encodeLoose(type, content);
      replaceFile(loosePath(oid), bytes, { durable: false, incoming });
      return bytes.length;
    },
    isWhole: (oid) => (statSync(loosePath(oid), { throwIfNoEntry: false })?.size ?? 0) > 0 || packed(oid) !== undefined,
    drop: (oid) => rmSync(loosePath(oid), { force: true }),
    retain(keep) {
      const looseBytes = retainLoose(objects, keep);
      const packBytes = packReaders().map((pack) => retainInPack(pack, keep));
      open = undefined;
      return [looseBytes, ...packBytes].reduce((sum, bytes) => sum + bytes, 0);
    },
  };
  return store;

  /** Returns the bytes that stay. */
  function retainInPack(pack: PackReader, keep: ReadonlySet<string>): number {
    const all = pack.oids();
    const kept = all.filter((oid) => keep.has(oid));
    const dead = all.filter((oid) => !keep.has(oid)).reduce((sum, oid) => sum + pack.packedSize(oid), 0);
    if (kept.length > 0 && dead * 4 <= pack.bytes) return pack.bytes;
    let bytes = 0;
    if (kept.length > 0) {
      mkdirSync(incoming, { recursive: true, mode: 0o700 });
      const temporary = join(incoming, 'pack');
      const writer = createPackWriter(temporary);
      try {
        for (const oid of kept) {
          const object = pack.read(oid);
          // Holds deltas: another git made it, and another git may clean it up.
          if (!object) return pack.bytes;
          writer.add(oid, object.type, object.content);
        }
        bytes = publishPack(temporary, writer, { packs, durable });
      } finally {
        writer.abort();
        rmSync(incoming, { recursive: true, force: true });
      }
    }
    unlinkSync(pack.path.replace(/pack$/, 'idx'));
    unlinkSync(pack.path);
    return bytes;
  }
}

/** The size that the header of a loose object states; the content is not unpacked. */
function looseSize(path: string): number | undefined {
  const head = Buffer.alloc(128);
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return undefined;
  }
  try {
    const start = head.subarray(0, readSync(fd, head, 0, head.length, 0));
    const text = inflateSync(start, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1', 0, 32);
    return Number(/^blob (\d+)\0/.exec(text)?.[1] ?? Number.NaN) || 0;
  } finally {
    closeSync(fd);
  }
}

function decodeLoose(bytes: Buffer): GitObject {
  const whole = inflateSync(bytes);
  const end = whole.indexOf(0);
  const [type = ''] = whole.toString('latin1', 0, end).split(' ');
  if (type !== 'blob' && type !== 'tree' && type !== 'commit')
    throw new Error('An object of the snapshots is damaged.');
  return { type, content: whole.subarray(end + 1) };
}

function openPacks(directory: string): PackReader[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith('.idx'))
    .map((name) => join(directory, name.replace(/idx$/, 'pack')))
    .filter((path) => existsSync(path))
    .map((path) => openPack(path, statSync(path).size));
}

function retainLoose(objects: string, keep: ReadonlySet<string>): number {
  let bytes = 0;
  for (const prefix of readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name)))
    for (const rest of readdirSync(join(objects, prefix))) {
      const path = join(objects, prefix, rest);
      if (keep.has(prefix + rest)) bytes += statSync(path).size;
      else unlinkSync(path);
    }
  return bytes;
}
