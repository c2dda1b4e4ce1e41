import { accessSync, constants, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tempDirectory } from './temp-directory.ts';

const shared = '/dev/shm';
const root = isWritable(shared) ? realpathSync(mkdtempSync(join(shared, 'service-test-'))) : tempDirectory('memory');
process.once('exit', () => rmSync(root, { recursive: true, force: true }));

/**
 * As `tempDirectory`, in memory where the system has such a place: for tests that make thousands of directories and ask
 * nothing of the disk.
 */
export function memoryDirectory(label: string): string {
  return mkdtempSync(join(root, `${label}-`));
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
