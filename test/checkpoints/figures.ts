import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { openCheckpointer } from './open-checkpointer.ts';

/** Milliseconds of one measured tree, ours and native git's. */
export interface Figures {
  files: number;
  ours: Record<string, number>;
  git: Record<string, number>;
  stallMs: number;
  rssMb: number;
}

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

/** Measures first, unchanged, second, and restore, beside the same steps of native git on the same tree. */
export async function measure(files: number): Promise<Figures> {
  const workspace = tempDirectory('tree');
  makeTree(workspace, files);
  // Older than what stat data of young files can prove.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const touch = (round: number) => appendFileSync(join(workspace, 'part0/folder0/file0.txt'), `change ${round}\n`);
  const edit = () => {
    for (let at = 0; at < 600; at += 20)
      appendFileSync(join(workspace, `part0/folder${Math.floor(at / 50)}/file${at}.txt`), 'edit');
  };

  const { checkpointer, session } = openCheckpointer({ workspace, durability: 'full', maxFiles: files + 1 });
  const loop = monitorEventLoopDelay({ resolution: 1 });
  const ours: Record<string, number> = {};
  const timed = async <T>(name: string, step: () => Promise<T>): Promise<T> => {
    loop.enable();
    const from = performance.now();
    const value = await step();
    ours[name] = performance.now() - from;
    loop.disable();
    return value;
  };
  await checkpointer.capture({ ...session, workspace: tempDirectory('warm') }, 'warm');
  const first = await timed('first', () => checkpointer.capture(session, 'first'));
  const rssMb = process.memoryUsage.rss() / 1024 / 1024;
  await timed('unchanged', () => checkpointer.capture(session, 'unchanged'));
  touch(1);
  await timed('second', () => checkpointer.capture(session, 'second'));
  edit();
  await timed('restore', () => checkpointer.restore(session, first.id));
  await checkpointer.close();

  return { files, ours, git: measureGit(workspace, { touch, edit }), stallMs: loop.max / 1e6, rssMb };
}

function measureGit(
  workspace: string,
  { touch, edit }: { touch(round: number): void; edit(): void },
): Record<string, number> {
  const directory = tempDirectory('git');
  const env = {
    ...process.env,
    GIT_DIR: directory,
    GIT_WORK_TREE: workspace,
    GIT_INDEX_FILE: join(directory, 'index'),
  };
  const git = (...words: string[]) =>
    execFileSync('git', words, { env, cwd: workspace, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const figures: Record<string, number> = {};
  const timed = (name: string, step: () => string): string => {
    const from = performance.now();
    const value = step();
    figures[name] = performance.now() - from;
    return value;
  };
  const snapshot = () => {
    git('add', '-A');
    return git('write-tree');
  };
  rmSync(directory, { recursive: true });
  execFileSync('git', ['init', '-q', '--bare', directory]);
  const first = timed('first', snapshot);
  timed('unchanged', snapshot);
  touch(2);
  timed('second', snapshot);
  edit();
  timed('restore', () => {
    snapshot();
    return git('read-tree', '-u', '--reset', first);
  });
  return figures;
}
