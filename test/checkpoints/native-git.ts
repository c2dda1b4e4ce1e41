import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const hasGit = ((): boolean => {
  try {
    execFileSync('git', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
if (!hasGit) console.log('SKIPPED what the real git says: it is not installed');

/** Runs the real git, free of anybody's settings. Throws with its output when it fails. */
export function runGit(cwd: string, ...words: string[]): string {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
  return execFileSync('git', words, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The repositories in a directory of checkpoints. */
export function repositoriesIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.git'))
    .map((name) => join(directory, name));
}

/** Fails when the real git finds anything wrong with a repository in the directory. */
export function checkRepositories(directory: string): void {
  if (!hasGit) return;
  for (const repository of repositoriesIn(directory)) {
    const said = runGit(repository, 'fsck', '--full', '--strict', '--no-dangling');
    if (said.trim() !== '') throw new Error(`git fsck said: ${said}`);
  }
}
