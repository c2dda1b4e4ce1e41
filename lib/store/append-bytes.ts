import type { FilePort } from './file-port.ts';
import type { OpenSegment } from './log-segment.ts';
import { writeBytes } from './write-bytes.ts';

/** Bytes that could not be appended. */
export interface FailedAppend {
  error: unknown;
  /** A segment whose sync failed is not to be trusted any more. */
  during: 'write' | 'sync';
  /** True when no later start finds anything of them, whatever a power cut takes. */
  isTakenBack: boolean;
}

/**
 * Writes behind the good bytes of a segment and, when `durable`, syncs. What failed is cut off again, and the cut synced:
 * the system may have put it on the disk before it failed, and the cut alone would not outlive a power cut.
 * Resolves to undefined once the bytes count. The caller brings the size of the segment up to date.
 */
export async function appendBytes(
  files: FilePort,
  segment: OpenSegment,
  { bytes, durable }: { bytes: Uint8Array; durable: boolean },
): Promise<FailedAppend | undefined> {
  let during: FailedAppend['during'] = 'write';
  try {
    await writeBytes(files, segment.descriptor, { bytes, blocking: largestBlockingWrite });
    during = 'sync';
    if (durable) await files.datasync(segment.descriptor);
    return undefined;
  } catch (error) {
    return { error, during, isTakenBack: await takeBack(files, segment, durable) };
  }
}

async function takeBack(files: FilePort, { descriptor, size }: OpenSegment, durable: boolean): Promise<boolean> {
  try {
    files.truncateSync(descriptor, size);
    if (durable) await files.sync(descriptor);
    return true;
  } catch {
    return false;
  }
}

const largestBlockingWrite = 256 * 1024;
