import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { syncPath } from './durable-files.ts';
import type { ObjectType } from './object-store.ts';
import { createPackWriter, type PackWriter } from './pack-file.ts';

/** Objects that become visible together. Nothing of a batch exists before `finish`, not even after a power cut. */
export interface ObjectBatch {
  /** Returns the object's id. */
  add(type: ObjectType, content: Buffer): string;
  /** Makes them durable and visible; returns the bytes they take. */
  finish(): number;
  /** Forgets what `finish` has not made visible, and drops its files. */
  abort(): void;
}

export interface ObjectBatchOptions {
  objects: string;
  /** Where things lie until they are complete. */
  incoming: string;
  durable: boolean;
  has(oid: string): boolean;
  packAdded(): void;
}

/** From this many new objects on, one pack is several times cheaper than a file and an fsync for each. */
const packFrom = 200;
/** What waits in memory for that decision. */
const waitingBytes = 8 * 1024 * 1024;

/** Writes to `incoming` as it goes; few objects become files of their own, many one pack. Blocking. */
export function createObjectBatch({ objects, incoming, durable, has, packAdded }: ObjectBatchOptions): ObjectBatch {
  const packPath = join(incoming, 'pack');
  const added = new Set<string>();
  /** Object ids of complete loose files in `incoming`. */
  const loose: string[] = [];
  let waiting: { oid: string; type: ObjectType; content: Buffer }[] = [];
  let bytes = 0;
  let pack: PackWriter | undefined;

  function writeWaiting(): void {
    for (const { oid, type, content } of waiting) {
      if (pack) pack.add(oid, type, content);
      else {
        writeFileSync(join(incoming, oid), encodeLoose(type, content), { mode: 0o444 });
        loose.push(oid);
      }
    }
    waiting = [];
    bytes = 0;
  }

  function publishLoose(): number {
    let size = 0;
    if (durable) for (const oid of loose) syncPath(join(incoming, oid));
    const directories = new Set<string>();
    for (const oid of loose) {
      const directory = join(objects, oid.slice(0, 2));
      if (mkdirSync(directory, { recursive: true, mode: 0o700 })) directories.add(objects);
      directories.add(directory);
      size += statSync(join(incoming, oid)).size;
      renameSync(join(incoming, oid), join(directory, oid.slice(2)));
    }
    if (durable) for (const directory of directories) syncPath(directory);
    return size;
  }

  return {
    add(type, content) {
      const oid = objectId(type, content);
      if (added.has(oid) || has(oid)) return oid;
      if (added.size === 0) mkdirSync(incoming, { recursive: true, mode: 0o700 });
      added.add(oid);
      waiting.push({ oid, type, content });
      bytes += content.length;
      if (!pack && added.size >= packFrom) pack = createPackWriter(packPath);
      if (pack || bytes > waitingBytes) writeWaiting();
      return oid;
    },
    finish() {
      writeWaiting();
      const looseSize = publishLoose();
      if (!pack) return looseSize;
      const size = looseSize + publishPack(packPath, pack, { packs: join(objects, 'pack'), durable });
      pack = undefined;
      packAdded();
      return size;
    },
    abort() {
      pack?.abort();
      if (added.size > 0) rmSync(incoming, { recursive: true, force: true });
    },
  };
}

/** Names objects and keeps none: for who only looks. */
export const nowhere: ObjectBatch = { add: objectId, finish: () => 0, abort() {} };

/** Finishes a pack and moves it to where git looks for it; returns its size. */
export function publishPack(
  path: string,
  writer: PackWriter,
  { packs, durable }: { packs: string; durable: boolean },
): number {
  const { name, bytes } = writer.finish();
  if (durable) {
    syncPath(path);
    syncPath(`${path}.idx`);
  }
  if (mkdirSync(packs, { recursive: true, mode: 0o700 }) && durable) syncPath(dirname(packs));
  // The index last: a pack without one is not there.
  renameSync(path, join(packs, `pack-${name}.pack`));
  renameSync(`${path}.idx`, join(packs, `pack-${name}.idx`));
  if (durable) syncPath(packs);
  return bytes;
}

/** The id that a content has in git. */
export function objectId(type: ObjectType, content: Buffer): string {
  return createHash('sha1').update(headerOf(type, content)).update(content).digest('hex');
}

/** An object as git keeps it in a file of its own. */
export function encodeLoose(type: ObjectType, content: Buffer): Buffer {
  return deflateSync(Buffer.concat([headerOf(type, content), content]), { level: 1 });
}

function headerOf(type: ObjectType, content: Buffer): Buffer {
  return Buffer.from(`${type} ${content.length}\0`);
}
