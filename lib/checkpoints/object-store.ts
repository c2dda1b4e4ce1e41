import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import { syncPath } from './durable-files.ts';
import { createPackWriter, openPack, type PackReader } from './pack-file.ts';

export type ObjectType = 'blob' | 'tree' | 'commit';

export interface GitObject {
  type: ObjectType;
  content: Buffer;
}

/** Objects that become visible together. Nothing of a batch exists before `finish`, not even after a power cut. */
export interface ObjectBatch {
  /** Returns the object's id. */
  add(type: ObjectType, content: Buffer): string;
  /** Makes them durable and visible; returns the bytes they take. */
  finish(): number;
  /** Forgets them. Does nothing after `finish`. */
  abort(): void;
}

/** The objects of one bare git repository: loose ones and packs without deltas, both also readable by git itself. */
export interface ObjectStore {
  has(oid: string): boolean;
  /** Undefined when it is not there, or stored in a way only another git writes. */
  read(oid: string): GitObject | undefined;
  /** Size of a blob in bytes. */
  size(oid: string): number | undefined;
  /** `many`: expect hundreds of objects or more; they go to one pack, which is several times faster. */
  batch(options: { many: boolean }): ObjectBatch;
  /** Deletes one loose object, if it is there. */
  drop(oid: string): void;
  /** Deletes what is not in `keep`; a pack is rewritten when more than a quarter of it goes. Returns the bytes that stay. */
  retain(keep: ReadonlySet<string>): number;
}

/** `durable` false leaves out fsync: then only a crash of the process is survived. Blocking; for a worker. */
export function createObjectStore(gitDirectory: string, { durable }: { durable: boolean }): ObjectStore {
  const objects = join(gitDirectory, 'objects');
  const packs = join(objects, 'pack');
  const incoming = join(gitDirectory, 'incoming');
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
    size: (oid) => packed(oid)?.header(oid)?.size ?? store.read(oid)?.content.length,
    batch({ many }) {
      mkdirSync(incoming, { recursive: true, mode: 0o700 });
      return many ? packBatch() : looseBatch();
    },
    drop: (oid) => rmSync(loosePath(oid), { force: true }),
    retain(keep) {
      const looseBytes = retainLoose(objects, keep);
      const packBytes = packReaders().map((pack) => retainInPack(pack, keep));
      open = undefined;
      return [looseBytes, ...packBytes].reduce((sum, bytes) => sum + bytes, 0);
    },
  };
  return store;

  function looseBatch(): ObjectBatch {
    const added = new Map<string, string>();
    return {
      add(type, content) {
        const { oid, header } = identify(type, content);
        if (added.has(oid) || store.has(oid)) return oid;
        const temporary = join(incoming, oid);
        writeFileSync(temporary, deflateSync(Buffer.concat([header, content]), { level: 1 }), { mode: 0o444 });
        added.set(oid, temporary);
        return oid;
      },
      finish() {
        let bytes = 0;
        if (durable) for (const temporary of added.values()) syncPath(temporary);
        const directories = new Set<string>();
        for (const [oid, temporary] of added) {
          bytes += statSync(temporary).size;
          const directory = join(objects, oid.slice(0, 2));
          if (mkdirSync(directory, { recursive: true, mode: 0o700 })) directories.add(objects);
          directories.add(directory);
          renameSync(temporary, loosePath(oid));
        }
        if (durable) for (const directory of directories) syncPath(directory);
        added.clear();
        return bytes;
      },
      abort() {
        for (const temporary of added.values()) rmSync(temporary, { force: true });
        added.clear();
      },
    };
  }

  function packBatch(): ObjectBatch {
    const temporary = join(incoming, 'pack');
    rmSync(temporary, { force: true });
    rmSync(`${temporary}.idx`, { force: true });
    const added = new Set<string>();
    const writer = createPackWriter(temporary);
    let finished = false;
    return {
      add(type, content) {
        const { oid } = identify(type, content);
        if (added.has(oid) || store.has(oid)) return oid;
        writer.add(oid, type, content);
        added.add(oid);
        return oid;
      },
      finish() {
        finished = true;
        const { name, bytes } = writer.finish();
        if (added.size === 0) {
          rmSync(temporary);
          rmSync(`${temporary}.idx`);
          return 0;
        }
        if (durable) {
          syncPath(temporary);
          syncPath(`${temporary}.idx`);
        }
        // The index last: a pack without one is not there.
        renameSync(temporary, join(packs, `pack-${name}.pack`));
        renameSync(`${temporary}.idx`, join(packs, `pack-${name}.idx`));
        if (durable) syncPath(packs);
        open = undefined;
        return bytes;
      },
      abort() {
        if (finished) return;
        finished = true;
        writer.abort();
        rmSync(temporary, { force: true });
      },
    };
  }

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
      for (const oid of kept) {
        const object = pack.read(oid);
        if (!object) {
          // Holds deltas: another git made it, and another git may clean it up.
          writer.abort();
          rmSync(temporary, { force: true });
          return pack.bytes;
        }
        writer.add(oid, object.type, object.content);
      }
      const made = writer.finish();
      bytes = made.bytes;
      if (durable) {
        syncPath(temporary);
        syncPath(`${temporary}.idx`);
      }
      renameSync(temporary, join(packs, `pack-${made.name}.pack`));
      renameSync(`${temporary}.idx`, join(packs, `pack-${made.name}.idx`));
      if (durable) syncPath(packs);
    }
    unlinkSync(pack.path.replace(/pack$/, 'idx'));
    unlinkSync(pack.path);
    return bytes;
  }
}

function identify(type: ObjectType, content: Buffer): { oid: string; header: Buffer } {
  const header = Buffer.from(`${type} ${content.length}\0`);
  return { oid: createHash('sha1').update(header).update(content).digest('hex'), header };
}

/** The id that a content has as a blob. */
export function blobId(content: Buffer): string {
  return identify('blob', content).oid;
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
