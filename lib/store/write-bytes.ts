import type { FilePort } from './file-port.ts';

/**
 * Writes all of the bytes to an open descriptor, or throws. What is left of `blocking` bytes or less goes in one blocking
 * call: for a small write that costs the event loop less than handing it to another thread.
 */
export async function writeBytes(
  files: FilePort,
  descriptor: number,
  { bytes, blocking }: { bytes: Uint8Array; blocking: number },
): Promise<void> {
  let rest = bytes;
  while (rest.length > 0) {
    const written = rest.length <= blocking ? files.writeSync(descriptor, rest) : await files.write(descriptor, rest);
    if (written === 0) throw Object.assign(new Error('No progress writing a file.'), { code: 'EIO' });
    rest = rest.subarray(written);
  }
}
