import { applyData, applyName, copyImage, type DiskImage } from './disk-image.ts';
import {
  type Barrier,
  type DataOperation,
  type DiskOperation,
  directoriesOf,
  isBarrier,
  isData,
  type NameOperation,
} from './disk-operation.ts';

export interface PendingOperation {
  /** Its place in the trace. */
  index: number;
  operation: DataOperation | NameOperation;
}

/** A disk at one moment: what is certain to survive a power cut, and what may or may not. */
export interface Platter {
  durable: DiskImage;
  /** In the order in which it was done. */
  pending: PendingOperation[];
  /** Takes the next operation of the trace. */
  advance(operation: DiskOperation): void;
}

/**
 * Follows a trace. Bytes of a file last once the file was synced, names once their directory was; a file's sync says
 * nothing of its name. That is less than ext4 or xfs promise, and what POSIX does.
 */
export function createPlatter(start: DiskImage): Platter {
  const durable = copyImage(start);
  const platter: Platter = { durable, pending: [], advance };
  let index = 0;
  return platter;

  function advance(operation: DiskOperation): void {
    if (!isBarrier(operation)) platter.pending.push({ index, operation });
    else settle(operation);
    index += 1;
  }

  function settle(barrier: Barrier): void {
    const before = platter.pending.filter((each) => each.index < barrier.upTo);
    const settled = new Set(
      barrier.kind === 'sync'
        ? before.filter(({ operation }) => isData(operation) && operation.node === barrier.node)
        : namesSettledBy(barrier.node, before),
    );
    for (const each of before) if (settled.has(each)) apply(durable, each.operation);
    platter.pending = platter.pending.filter((each) => !settled.has(each));
  }
}

export function apply(image: DiskImage, operation: DataOperation | NameOperation): void {
  if (isData(operation)) applyData(image, operation);
  else applyName(image, operation);
}

/** A rename between two directories lasts with either of them, and with it what was done before in the other. */
function namesSettledBy(directory: number, before: PendingOperation[]): PendingOperation[] {
  const directories = new Set([directory]);
  const settled: PendingOperation[] = [];
  for (const each of before.toReversed()) {
    const { operation } = each;
    if (isData(operation)) continue;
    const touched = directoriesOf(operation);
    if (!touched.some((number) => directories.has(number))) continue;
    for (const number of touched) directories.add(number);
    settled.push(each);
  }
  return settled;
}
