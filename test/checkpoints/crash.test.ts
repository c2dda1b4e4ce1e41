import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../lib/base/package-root.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { checkRepositories } from './native-git.ts';
import { openCheckpointer } from './open-checkpointer.ts';
import { describeTree } from './tree.ts';

const test = suite('kill -9 in the middle of an operation leaves a repository that works');
const kills = Number(process.env.CHECKPOINT_KILLS ?? 6);
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

const script = join(tempDirectory('script'), 'crash-child.mjs');
test.before(async () => {
  await build({
    entryPoints: [join(packageRoot(), 'test/checkpoints/crash-child.ts')],
    outfile: script,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    // Its own package root, though it lies in a temporary directory.
    define: { 'import.meta.url': JSON.stringify(`file://${packageRoot()}/package.json`) },
  });
});

function fill(workspace: string, round: number): void {
  for (let at = 0; at < 600; at++) {
    const folder = join(workspace, `d${at % 12}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${at}`), `${round} ${at} `.repeat(200));
  }
}

/** Files that hold neither the content of one round nor what replaced their directory. */
function tornFiles(workspace: string): string[] {
  return readdirSync(workspace, { recursive: true, encoding: 'utf8' }).filter((path) => {
    if (!/^d\d+\/f\d+$/.test(path)) return false;
    const content = readFileSync(join(workspace, path), 'utf8');
    const [round, number] = content.split(' ');
    return content !== `${round} ${number} `.repeat(200) || path.endsWith(`f${number}`) === false;
  });
}

/** The lines that only one of two trees has, the first ten. */
function differences(actual: string[], expected: string[]): string[] {
  const [has, wants] = [new Set(actual), new Set(expected)];
  return [...actual.filter((line) => !wants.has(line)), ...expected.filter((line) => !has.has(line))].slice(0, 10);
}

/** Starts the child, lets it work for a while and kills it. */
async function killDuring(afterMs: number, words: string[]): Promise<void> {
  const child = spawn(process.execPath, [script, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  const exit = once(child, 'exit');
  await within(20_000, once(child.stdout, 'data'), 'the child');
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill('SIGKILL');
  await within(10_000, exit, 'the end of the child');
  children.delete(child);
}

test('during captures', async () => {
  const { checkpointer, workspace, directory, session } = openCheckpointer();
  fill(workspace, 0);
  const before = describeTree(workspace);
  const checkpoint = await within(20_000, checkpointer.capture(session, 'before'));
  await checkpointer.close();
  for (let kill = 0; kill < kills; kill++) {
    fill(workspace, kill + 1);
    await killDuring(80 + kill * 60, ['capture', workspace, directory]);
  }
  const again = openCheckpointer({ workspace, directory });
  const there = describeTree(workspace);
  const after = await within(20_000, again.checkpointer.capture(session, 'after'));
  await within(20_000, again.checkpointer.restore(session, checkpoint.id));
  assert.equal(differences(describeTree(workspace), before), []);
  await within(20_000, again.checkpointer.restore(session, after.id));
  assert.equal(differences(describeTree(workspace), there), []);
  await again.checkpointer.close();
  checkRepositories(directory);
});

test('during restores: the files are the old or the new ones, never torn, and the next restore completes it', async () => {
  const { checkpointer, workspace, directory, session } = openCheckpointer();
  fill(workspace, 0);
  const wanted = describeTree(workspace);
  const checkpoint = await within(20_000, checkpointer.capture(session, 'wanted'));
  await checkpointer.close();
  for (let kill = 0; kill < kills; kill++) {
    rmSync(join(workspace, 'd3'), { recursive: true, force: true });
    fill(workspace, kill + 1);
    for (const folder of readdirSync(workspace).slice(0, 6)) {
      rmSync(join(workspace, folder), { recursive: true });
      appendFileSync(join(workspace, folder), 'a file now');
    }
    await killDuring(60 + kill * 40, ['restore', workspace, directory, checkpoint.id]);
    assert.equal(tornFiles(workspace), []);
    const next = openCheckpointer({ workspace, directory });
    const { warning } = await within(20_000, next.checkpointer.restore(session, checkpoint.id));
    assert.is(warning, null);
    assert.equal(differences(describeTree(workspace), wanted), []);
    await next.checkpointer.close();
  }
  checkRepositories(directory);
});

test.run();
