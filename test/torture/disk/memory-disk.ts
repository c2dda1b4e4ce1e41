import { posix } from 'node:path';
import type { FilePort } from '../../../lib/store/file-port.ts';
import { applyData, applyName, copyImage, type DiskImage, type DiskNode, emptyImage } from './disk-image.ts';
import { type DiskOperation, isBarrier, isData, type Slot } from './disk-operation.ts';

export interface MemoryDisk {
  files: FilePort;
  /** Everything that changed the disk, oldest first. */
  trace: readonly DiskOperation[];
  /** What a process sees now: with all that is in the operating system's memory alone. */
  image: DiskImage;
}

export interface MemoryDiskOptions {
  /** What lies on it; it is not changed. */
  image?: DiskImage;
  /** The operations that `image` already contains but that no sync has covered: they may be lost yet. */
  trace?: readonly DiskOperation[];
  /** Awaited before every call that does not block, so that calls interleave. */
  pause?: () => Promise<void>;
  /** Called before an operation; what it throws is thrown in its place. */
  before?: () => void;
  /** Called right after an operation, with the number of operations so far. */
  after?: (count: number) => void;
}

/** The file driver's system calls over a disk in memory that writes down what it was told. Paths are absolute. */
export function createMemoryDisk(options: MemoryDiskOptions = {}): MemoryDisk {
  const image = copyImage(options.image ?? emptyImage());
  const trace: DiskOperation[] = [...(options.trace ?? [])];
  const pause = options.pause ?? (async () => undefined);
  const descriptors = new Map<number, { node: number; append: boolean; at: number }>();
  let nextNode = 1 + Math.max(0, ...image.keys(), ...trace.map(nodeIn));
  let nextDescriptor = 1;

  const files: FilePort = {
    async open(path, how) {
      await pause();
      const slot = slotOf(path);
      let node = lookUp(path);
      if (node === undefined) {
        if (how === 'update') throw failure('ENOENT', path);
        node = nextNode++;
        perform({ kind: 'link', slot, node, isDirectory: false });
      } else if (how === 'replace') {
        perform({ kind: 'truncate', node, length: 0 });
      }
      bytesOf(node, path);
      descriptors.set(nextDescriptor, { node, append: how === 'append', at: 0 });
      return nextDescriptor++;
    },
    async close(descriptor) {
      await pause();
      opened(descriptor);
      descriptors.delete(descriptor);
    },
    writeSync: write,
    async write(descriptor, bytes) {
      await pause();
      return write(descriptor, bytes);
    },
    truncateSync: (descriptor, length) => perform({ kind: 'truncate', node: opened(descriptor).node, length }),
    datasync: sync,
    sync,
    async syncDirectory(path) {
      const node = lookUp(path);
      const upTo = trace.length;
      await pause();
      if (node === undefined) throw failure('ENOENT', path);
      perform({ kind: 'syncDirectory', node, upTo });
    },
    async makeDirectory(path) {
      await pause();
      let at = '';
      for (const name of path.split('/').filter(Boolean)) {
        at = `${at}/${name}`;
        if (lookUp(at) === undefined) perform({ kind: 'link', slot: slotOf(at), node: nextNode++, isDirectory: true });
      }
    },
    async rename(from, to) {
      await pause();
      const node = lookUp(from);
      if (node === undefined) throw failure('ENOENT', from);
      const isDirectory = image.get(node)?.kind === 'directory';
      perform({ kind: 'rename', from: slotOf(from), slot: slotOf(to), node, isDirectory });
    },
    async remove(path) {
      await pause();
      removeTree(path);
    },
    async list(path) {
      await pause();
      const node = nodeAt(path);
      return node?.kind === 'directory' ? [...node.names.keys()].sort() : [];
    },
    async read(path) {
      await pause();
      const node = lookUp(path);
      return node === undefined ? undefined : Buffer.from(bytesOf(node, path));
    },
    async readHead(path, length) {
      await pause();
      const node = lookUp(path);
      return node === undefined ? undefined : Buffer.from(bytesOf(node, path).subarray(0, length));
    },
  };
  return { files, trace, image };

  function perform(operation: DiskOperation): void {
    options.before?.();
    trace.push(operation);
    if (isData(operation)) applyData(image, operation);
    else if (!isBarrier(operation)) applyName(image, operation);
    options.after?.(trace.length);
  }

  function write(descriptor: number, bytes: Uint8Array): number {
    const open = opened(descriptor);
    const at = open.append ? bytesOf(open.node, '').length : open.at;
    perform({ kind: 'write', node: open.node, at, bytes: Buffer.from(bytes) });
    open.at = at + bytes.length;
    return bytes.length;
  }

  /** Covers what was written before it was called, not what came while it was under way. */
  async function sync(descriptor: number): Promise<void> {
    const { node } = opened(descriptor);
    const upTo = trace.length;
    await pause();
    perform({ kind: 'sync', node, upTo });
  }

  function removeTree(path: string): void {
    const node = nodeAt(path);
    if (node?.kind === 'directory') for (const name of [...node.names.keys()]) removeTree(`${path}/${name}`);
    if (node) perform({ kind: 'unlink', slot: slotOf(path) });
  }

  function opened(descriptor: number): { node: number; append: boolean; at: number } {
    const open = descriptors.get(descriptor);
    if (!open) throw failure('EBADF', `descriptor ${descriptor}`);
    return open;
  }

  function bytesOf(number: number, path: string): Buffer {
    const node = image.get(number);
    if (node?.kind !== 'file') throw failure('EISDIR', path);
    return node.bytes;
  }

  function nodeAt(path: string): DiskNode | undefined {
    const node = lookUp(path);
    return node === undefined ? undefined : image.get(node);
  }

  function lookUp(path: string): number | undefined {
    let number: number | undefined = 0;
    for (const name of path.split('/').filter(Boolean)) {
      const node: DiskNode | undefined = number === undefined ? undefined : image.get(number);
      number = node?.kind === 'directory' ? node.names.get(name) : undefined;
    }
    return number;
  }

  function slotOf(path: string): Slot {
    const directory = lookUp(posix.dirname(path));
    if (directory === undefined || image.get(directory)?.kind !== 'directory') throw failure('ENOENT', path);
    return { directory, name: posix.basename(path) };
  }
}

/** The highest node number that an operation speaks of. */
function nodeIn(operation: DiskOperation): number {
  return operation.kind === 'unlink' ? 0 : operation.node;
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
