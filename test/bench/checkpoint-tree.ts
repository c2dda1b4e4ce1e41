import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A tree of `files` text files of about 4 KB in directories of 50, and a tenth as many ignored ones. */
export function makeTree(root: string, files: number): void {
  const line = 'The quick brown fox jumps over the lazy dog. ';
  for (let at = 0; at < files; at++) {
    const folder = join(root, `part${Math.floor(at / 1000)}`, `folder${Math.floor(at / 50)}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file${at}.txt`), `${at} ${line.repeat(85)}`);
  }
  mkdirSync(join(root, 'node_modules/dependency'), { recursive: true });
  for (let at = 0; at < files / 10; at++) writeFileSync(join(root, `node_modules/dependency/${at}.js`), 'ignored');
  writeFileSync(join(root, '.gitignore'), 'node_modules\n*.tmp\n');
}

/** Changes one file. */
export function touchTree(root: string, what: string): void {
  appendFileSync(join(root, 'part0/folder0/file0.txt'), `change ${what}\n`);
}

/** Changes thirty files, for a restore to undo. */
export function editTree(root: string): void {
  for (let at = 0; at < 600; at += 20)
    appendFileSync(join(root, `part0/folder${Math.floor(at / 50)}/file${at}.txt`), 'edit');
}

/** What people would do without this service: an index and objects of the real git, beside the tree. */
export interface NativeGit {
  /** `git add -A && git write-tree`; returns the tree. */
  snapshot(): string;
  restore(tree: string): void;
}

/** Undefined where there is no git. */
export function nativeGit(workspace: string, directory: string): NativeGit | undefined {
  const env = {
    PATH: process.env.PATH,
    HOME: directory,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_DIR: directory,
    GIT_WORK_TREE: workspace,
    GIT_INDEX_FILE: join(directory, 'index'),
  };
  const git = (...words: string[]) =>
    execFileSync('git', words, { env, cwd: workspace, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  rmSync(directory, { recursive: true, force: true });
  try {
    execFileSync('git', ['init', '-q', '--bare', directory], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const snapshot = () => {
    git('add', '-A');
    return git('write-tree');
  };
  return {
    snapshot,
    restore(tree) {
      snapshot();
      git('read-tree', '-u', '--reset', tree);
    },
  };
}
