/**
 * What changes a disk, in the order in which the operating system did it. Files and directories are nodes with numbers,
 * so that a name may go while its content stays.
 */
export type DiskOperation = DataOperation | NameOperation | Barrier;

export type DataOperation =
  | { kind: 'write'; node: number; at: number; bytes: Uint8Array }
  | { kind: 'truncate'; node: number; length: number };

/** A name in a directory. */
export interface Slot {
  directory: number;
  name: string;
}

export type NameOperation =
  | { kind: 'link'; slot: Slot; node: number; isDirectory: boolean }
  | { kind: 'unlink'; slot: Slot }
  | { kind: 'rename'; from: Slot; slot: Slot; node: number; isDirectory: boolean };

/** A sync that has succeeded: what was done to the node before operation number `upTo` is on the platter. */
export interface Barrier {
  kind: 'sync' | 'syncDirectory';
  node: number;
  upTo: number;
}

export function isBarrier(operation: DiskOperation): operation is Barrier {
  return operation.kind === 'sync' || operation.kind === 'syncDirectory';
}

export function isData(operation: DiskOperation): operation is DataOperation {
  return operation.kind === 'write' || operation.kind === 'truncate';
}

/** The directories that must be synced for a name operation to last. */
export function directoriesOf(operation: NameOperation): number[] {
  return operation.kind === 'rename'
    ? [operation.from.directory, operation.slot.directory]
    : [operation.slot.directory];
}
