import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { checkRepositories, hasGit, repositoriesIn, runGit } from './native-git.ts';
import { openCheckpointer } from './open-checkpointer.ts';
import { describeTree } from './tree.ts';

const test = suite('A restored workspace equals a copy made with cp -a, byte for byte');

/** Everything that version control tools get wrong. */
function fill(root: string): void {
  const write = (path: string | Buffer, content: string | Buffer, mode = 0o644): void => {
    writeFileSync(path, content);
    chmodSync(path, mode);
  };
  const at = (...names: string[]): string => join(root, ...names);
  for (const name of ['source/deep/deeper', 'empty/inside', 'swap-directory', 'nested/.git', 'private'])
    mkdirSync(at(name), { recursive: true });
  write(at('source/plain.txt'), 'plain\n');
  write(at('source/run.sh'), '#!/bin/sh\n', 0o755);
  write(at('source/secret'), 'only mine', 0o600);
  write(at('source/read-only'), 'look', 0o444);
  write(at('source/deep/deeper/crlf.txt'), 'one\r\ntwo\r\n');
  write(at('.gitattributes'), '* text=auto eol=lf ident\n*.bin filter=lfs working-tree-encoding=UTF-16\n');
  write(at('ident.txt'), '$Id$\r\n');
  write(at('data.bin'), Buffer.from(Array.from({ length: 70_000 }, (_, byte) => (byte * 7) % 256)));
  write(at('zero'), '');
  write(at('swap-file'), 'a file now');
  write(at('swap-directory/inside'), 'a directory now');
  write(at('nested/.git/config'), '[core]\n\tfsmonitor = touch /tmp/never\n');
  write(at('nested/tracked.txt'), 'in a nested repository');
  for (const name of [
    'ünïcödé',
    'é',
    'é',
    '日本語',
    'new\nline',
    'back\\slash',
    '"quoted"',
    ' leading',
    'trailing ',
    '-dash',
    'a',
    'a.b',
    'a-b',
  ])
    write(at(name), name);
  write(Buffer.concat([Buffer.from(`${root}/raw-`), Buffer.from([0xff, 0xfe, 0x80])]), 'no UTF-8');
  mkdirSync(at('ab'));
  write(at('ab/x'), 'sorts between a-b and a.b as a directory');
  symlinkSync('source/plain.txt', at('link'));
  symlinkSync('nowhere', at('dangling'));
  symlinkSync('/etc/hostname', at('absolute'));
  symlinkSync('source', at('to-directory'));
  symlinkSync('..', at('source/up'));
  chmodSync(at('private'), 0o700);
}

const changes: Record<string, (root: string) => void> = {
  'nothing at all': () => {},
  'every file deleted': (root) => execFileSync('sh', ['-c', 'rm -rf ./* .gitattributes'], { cwd: root }),
  'contents, modes and links changed': (root) => {
    writeFileSync(join(root, 'source/plain.txt'), 'changed');
    writeFileSync(join(root, 'source/deep/deeper/crlf.txt'), 'one\ntwo\n');
    chmodSync(join(root, 'source/run.sh'), 0o644);
    chmodSync(join(root, 'source/secret'), 0o666);
    chmodSync(join(root, 'private'), 0o755);
    rmSync(join(root, 'link'));
    symlinkSync('source/secret', join(root, 'link'));
    writeFileSync(join(root, 'zero'), 'not empty');
  },
  'files and directories swapped': (root) => {
    rmSync(join(root, 'swap-file'));
    mkdirSync(join(root, 'swap-file/deep'), { recursive: true });
    writeFileSync(join(root, 'swap-file/deep/x'), 'x');
    rmSync(join(root, 'swap-directory'), { recursive: true });
    writeFileSync(join(root, 'swap-directory'), 'a file');
    rmSync(join(root, 'to-directory'));
    mkdirSync(join(root, 'to-directory'));
    writeFileSync(join(root, 'to-directory/y'), 'y');
    renameSync(join(root, 'empty'), join(root, 'source/moved'));
    rmSync(join(root, 'nested/tracked.txt'));
    symlinkSync('/etc', join(root, 'nested/tracked.txt'));
  },
  'directories renamed and files added': (root) => {
    renameSync(join(root, 'source'), join(root, 'renamed'));
    mkdirSync(join(root, 'added/very/deep'), { recursive: true });
    writeFileSync(join(root, 'added/very/deep/new\nfile'), 'new');
    rmSync(join(root, 'empty'), { recursive: true });
  },
  'a directory replaced by a link to another': (root) => {
    rmSync(join(root, 'source'), { recursive: true });
    symlinkSync('nested', join(root, 'source'));
  },
};

for (const [name, change] of Object.entries(changes))
  test(`after ${name}`, async () => {
    const { checkpointer, workspace, directory, session } = openCheckpointer();
    fill(workspace);
    const copy = join(tempDirectory('copy'), 'tree');
    execFileSync('cp', ['-a', workspace, copy]);
    const checkpoint = await within(20_000, checkpointer.capture(session, `Before: ${name}`));
    change(workspace);
    const changed = describeTree(workspace);
    const { safety, warning } = await within(20_000, checkpointer.restore(session, checkpoint.id));
    assert.is(warning, null);
    const gitKept = name === 'every file deleted' ? (line: string) => !line.includes('"nested"/".git"') : () => true;
    assert.equal(describeTree(workspace), describeTree(copy).filter(gitKept));
    // And back again: the safety snapshot is as exact.
    if (name === 'nothing at all') assert.is(safety, null);
    else {
      await within(20_000, checkpointer.restore(session, safety?.id ?? ''));
      const there = new Set(describeTree(workspace).filter((line) => !line.includes('"nested"')));
      assert.equal(
        [...there],
        changed.filter((line) => !line.includes('"nested"')),
      );
    }
    await checkpointer.close();
    checkRepositories(directory);
  });

test('git log of the real git shows the labels, and git show the files', async () => {
  if (!hasGit) return;
  const { checkpointer, workspace, directory, session } = openCheckpointer();
  writeFileSync(join(workspace, 'a.txt'), 'first\n');
  const label = 'Before: say\nhello\u0000 "there" ✓';
  await within(10_000, checkpointer.captureBefore(session, { id: 'msg_1', label }).taken);
  writeFileSync(join(workspace, 'a.txt'), 'second\n');
  await checkpointer.capture(session, 'Snapshot');
  await checkpointer.capture({ ...session, id: 'ses_two' }, 'Of another session');
  await checkpointer.close();
  const [repository = ''] = repositoriesIn(directory);
  assert.is(runGit(repository, 'log', '--format=%s', 'ses_one'), 'Snapshot\nBefore: say hello "there" ✓\n');
  assert.is(runGit(repository, 'log', '--format=%s'), 'Of another session\n');
  assert.is(runGit(repository, 'show', 'ses_one:a.txt'), 'second\n');
  assert.is(runGit(repository, 'show', 'ses_one~1:a.txt'), 'first\n');
  checkRepositories(directory);
});

test("the user's own repository, its hooks and its index are neither captured nor changed", async () => {
  if (!hasGit) return;
  const { checkpointer, workspace, session } = openCheckpointer();
  runGit(workspace, 'init', '-q');
  writeFileSync(join(workspace, 'a.txt'), 'one');
  runGit(workspace, 'add', 'a.txt');
  runGit(workspace, '-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '-qm', 'first');
  writeFileSync(join(workspace, '.git/hooks/post-checkout'), '#!/bin/sh\ntouch ran\n', { mode: 0o755 });
  writeFileSync(
    join(workspace, '.git/config'),
    `${readFileSync(join(workspace, '.git/config'))}\tfsmonitor = touch ran\n`,
  );
  const mine = describeTree(join(workspace, '.git'));
  const before = statSync(join(workspace, '.git/index')).mtimeMs;
  const checkpoint = await within(10_000, checkpointer.capture(session, 'x'));
  assert.is(checkpoint.files, 1);
  writeFileSync(join(workspace, 'a.txt'), 'two');
  await within(10_000, checkpointer.restore(session, checkpoint.id));
  assert.equal(describeTree(join(workspace, '.git')), mine);
  assert.is(statSync(join(workspace, '.git/index')).mtimeMs, before);
  assert.equal(
    describeTree(workspace).filter((line) => line.includes('"ran"')),
    [],
  );
  await checkpointer.close();
});

test('more than 200 files go to one pack, which git accepts, and come back exactly', async () => {
  const { checkpointer, workspace, directory, session } = openCheckpointer();
  for (let at = 0; at < 300; at++) {
    mkdirSync(join(workspace, `d${at % 7}`), { recursive: true });
    writeFileSync(join(workspace, `d${at % 7}/f${at}`), `${at}`.repeat(at * 3));
  }
  const whole = describeTree(workspace);
  const checkpoint = await within(20_000, checkpointer.capture(session, 'many'));
  execFileSync('sh', ['-c', 'rm -rf d1 d2/*; for f in d3/*; do echo x >> $f; done'], { cwd: workspace });
  await within(20_000, checkpointer.restore(session, checkpoint.id));
  assert.equal(describeTree(workspace), whole);
  await checkpointer.close();
  checkRepositories(directory);
  const [repository = ''] = repositoriesIn(directory);
  if (hasGit) assert.match(runGit(repository, 'count-objects', '-v'), /packs: 1\n/);
});

test.run();
