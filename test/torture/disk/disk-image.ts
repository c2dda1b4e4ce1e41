import { createHash } from 'node:crypto';
import type { DataOperation, NameOperation, Slot } from './disk-operation.ts';

export type DiskNode = { kind: 'file'; bytes: Buffer } | { kind: 'directory'; names: Map<string, number> };

/** Nodes by number; the root directory is number 0. Nodes that no name leads to are as good as gone. */
export type DiskImage = Map<number, DiskNode>;

export function emptyImage(): DiskImage {
  return new Map([[0, { kind: 'directory', names: new Map() }]]);
}

/** A copy that can be changed without changing the original. Buffers are shared: nothing ever writes into one. */
export function copyImage(image: DiskImage): DiskImage {
  const copy: DiskImage = new Map();
  for (const [number, node] of image)
    copy.set(number, node.kind === 'file' ? { ...node } : { kind: 'directory', names: new Map(node.names) });
  return copy;
}

/**
 * What became of a write: `whole`; `zeros`, when only the length of the file arrived; or some of its sectors (numbered
 * from the start of the file) up to a byte of it. Sectors that are missing before one that arrived read as zeros.
 */
export type Arrival = 'whole' | 'zeros' | { sectors: (sector: number) => boolean; toByte?: number };

export function applyData(image: DiskImage, operation: DataOperation, arrival: Arrival = 'whole'): void {
  const node = image.get(operation.node) ?? { kind: 'file', bytes: Buffer.alloc(0) };
  image.set(operation.node, node);
  if (node.kind !== 'file') throw new Error(`Node ${operation.node} is a directory.`);
  if (operation.kind === 'truncate') {
    node.bytes = resized(node.bytes, operation.length);
    return;
  }
  const { at, bytes } = operation;
  const arrived = arrivedRanges(operation, arrival);
  const reach = arrival === 'zeros' ? at + bytes.length : 0;
  const end = Math.max(node.bytes.length, reach, ...arrived.map(([, to]) => at + to));
  const next = Buffer.alloc(end);
  node.bytes.copy(next);
  for (const [from, to] of arrived) next.set(bytes.subarray(from, to), at + from);
  node.bytes = next;
}

export function applyName(image: DiskImage, operation: NameOperation): void {
  const { slot } = operation;
  if (operation.kind === 'unlink') namesIn(image, slot).delete(slot.name);
  else if (!image.has(operation.node)) image.set(operation.node, freshNode(operation));
  if (operation.kind === 'link') namesIn(image, slot).set(slot.name, operation.node);
  if (operation.kind === 'rename') {
    const source = namesIn(image, operation.from);
    if (source.get(operation.from.name) === operation.node) source.delete(operation.from.name);
    namesIn(image, slot).set(slot.name, operation.node);
  }
}

function freshNode({ isDirectory }: { isDirectory: boolean }): DiskNode {
  return isDirectory ? { kind: 'directory', names: new Map() } : { kind: 'file', bytes: Buffer.alloc(0) };
}

/** The files that names lead to, by path. */
export function filesIn(image: DiskImage): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  const visit = (number: number, path: string): void => {
    const node = image.get(number);
    if (node?.kind === 'file') found.set(path, node.bytes);
    if (node?.kind === 'directory')
      for (const [name, child] of [...node.names].sort(([a], [b]) => (a < b ? -1 : 1))) visit(child, `${path}/${name}`);
  };
  visit(0, '');
  return found;
}

/** Equal for images that no reader could tell apart, as far as files go. */
export function fingerprint(image: DiskImage): string {
  const hash = createHash('sha1');
  for (const [path, bytes] of filesIn(image)) hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  return hash.digest('base64');
}

/** A directory whose own creation was lost is made up: what lies in it can't be reached anyhow. */
function namesIn(image: DiskImage, { directory }: Slot): Map<string, number> {
  const node = image.get(directory) ?? { kind: 'directory', names: new Map() };
  image.set(directory, node);
  if (node.kind !== 'directory') throw new Error(`Node ${directory} is a file.`);
  return node.names;
}

function arrivedRanges({ at, bytes }: { at: number; bytes: Uint8Array }, arrival: Arrival): [number, number][] {
  if (arrival === 'whole') return [[0, bytes.length]];
  if (arrival === 'zeros') return [];
  const { sectors, toByte = bytes.length } = arrival;
  const ranges: [number, number][] = [];
  for (let from = 0; from < toByte; ) {
    const sector = Math.floor((at + from) / sectorBytes);
    const to = Math.min(toByte, (sector + 1) * sectorBytes - at);
    if (sectors(sector)) ranges.push([from, to]);
    from = to;
  }
  return ranges;
}

function resized(bytes: Buffer, length: number): Buffer {
  if (length <= bytes.length) return bytes.subarray(0, length);
  const longer = Buffer.alloc(length);
  bytes.copy(longer);
  return longer;
}

export const sectorBytes = 512;
