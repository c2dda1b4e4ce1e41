import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'service-test-')));
// By a process that stays behind: a busy disk takes more than ten seconds to remove the thousands of files of a few databases.
process.once('exit', () => spawn('rm', ['-rf', root], { detached: true, stdio: 'ignore' }).unref());

/** A fresh directory (its real path); it goes when the test process ends. */
export function tempDirectory(label = 'dir'): string {
  return mkdtempSync(join(root, `${label}-`));
}
