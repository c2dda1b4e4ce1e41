import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'service-test-')));
process.once('exit', () => rmSync(root, { recursive: true, force: true }));

/** A fresh directory (its real path); it goes when the test process ends. */
export function tempDirectory(label = 'dir'): string {
  return mkdtempSync(join(root, `${label}-`));
}
