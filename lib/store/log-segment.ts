import { join } from 'node:path';
import type { FilePort } from './file-port.ts';

/** A segment that is complete: nothing is appended any more, so it may be rewritten or removed. */
export interface ClosedSegment {
  number: number;
  /** The last record that counts. */
  lastLsn: number;
  /** The sessions whose records (other than `deleted`) it may hold. */
  sessions: Set<string>;
}

/** The segment that records are appended to. */
export interface OpenSegment extends ClosedSegment {
  descriptor: number;
  /** Bytes that are good: where the next record goes. */
  size: number;
}

/** `log/<number>.log`. */
export function segmentPath(logDirectory: string, number: number): string {
  return join(logDirectory, `${number}.log`);
}

/** The segment numbers in a log directory, ascending. */
export async function listSegments(files: FilePort, logDirectory: string): Promise<number[]> {
  const names = await files.list(logDirectory);
  return names
    .filter((name) => /^\d+\.log$/.test(name))
    .map((name) => Number.parseInt(name, 10))
    .sort((a, b) => a - b);
}

/** Makes an empty segment that survives a power cut. It is given its first line with its first record. */
export async function createSegment(files: FilePort, logDirectory: string, number: number): Promise<OpenSegment> {
  const path = segmentPath(logDirectory, number);
  const descriptor = await files.open(path, 'append');
  try {
    await files.sync(descriptor);
    await files.syncDirectory(logDirectory);
  } catch (error) {
    await files.close(descriptor).catch(() => undefined);
    await files.remove(path).catch(() => undefined);
    throw error;
  }
  return { number, descriptor, size: 0, lastLsn: 0, sessions: new Set() };
}
