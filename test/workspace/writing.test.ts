import { execFileSync } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { codeOf, openWorkspace } from './open-workspace.ts';

const test = suite('A file is written whole or not at all, inside the workspace');

test('a new file, in directories that were missing', async () => {
  const workspace = await openWorkspace(tempDirectory());
  assert.equal(await workspace.write('a/b/c.txt', 'é'), { created: true, bytes: 2 });
  assert.is(await readFile(join(workspace.root, 'a/b/c.txt'), 'utf8'), 'é');
  assert.equal(await workspace.write('./a//b/../b/c.txt', Buffer.from([0, 1])), { created: false, bytes: 2 });
  assert.equal([...(await readFile(join(workspace.root, 'a/b/c.txt')))], [0, 1]);
  assert.equal(await readdir(join(workspace.root, 'a/b')), ['c.txt']);
});

test('the mode of a file that was there is kept', async () => {
  const workspace = await openWorkspace(tempDirectory());
  await writeFile(join(workspace.root, 'run.sh'), '#!/bin/sh');
  await chmod(join(workspace.root, 'run.sh'), 0o751);
  await workspace.write('run.sh', 'new');
  assert.is((await stat(join(workspace.root, 'run.sh'))).mode & 0o777, 0o751);
});

test('a link to a file inside is written through and stays a link', async () => {
  const workspace = await openWorkspace(tempDirectory());
  await writeFile(join(workspace.root, 'AGENTS.md'), 'old');
  await symlink('AGENTS.md', join(workspace.root, 'CLAUDE.md'));
  await workspace.write('CLAUDE.md', 'new');
  assert.is(await readFile(join(workspace.root, 'AGENTS.md'), 'utf8'), 'new');
  assert.ok((await lstat(join(workspace.root, 'CLAUDE.md'))).isSymbolicLink());
});

test('nothing is written below a .git, and the error says why', async () => {
  const base = tempDirectory();
  const workspace = await openWorkspace(base);
  await mkdir(join(workspace.root, '.git/hooks'), { recursive: true });
  await writeFile(join(workspace.root, '.git/config'), '[core]');
  await symlink('.git', join(workspace.root, 'looks-harmless'));
  await symlink('.git/config', join(workspace.root, 'settings'));
  for (const path of [
    '.git/hooks/pre-commit',
    '.GIT/config',
    '.git',
    'sub/.git/hooks/x',
    'looks-harmless/hooks/x',
    'settings',
  ])
    assert.is(await codeOf(workspace.write(path, 'x')), 'forbidden', path);
  assert.is((await workspace.read('.git/config')).content, '[core]');
  assert.is(await codeOf(workspace.write('.gitignore', 'dist')), 'none');
  try {
    await workspace.write('.git/hooks/pre-commit', 'x');
  } catch (error) {
    assert.match(String(error), /hooks/);
  }
});

test('what is no file is refused', async () => {
  const workspace = await openWorkspace(tempDirectory());
  await mkdir(join(workspace.root, 'dir'));
  await writeFile(join(workspace.root, 'file'), '');
  execFileSync('mkfifo', [join(workspace.root, 'pipe')]);
  assert.is(await codeOf(workspace.write('dir', 'x')), 'invalid_path');
  assert.is(await codeOf(workspace.write('dir/', 'x')), 'invalid_path');
  assert.is(await codeOf(workspace.write('file/x', 'x')), 'invalid_path');
  assert.is(await codeOf(workspace.write('file/x/y', 'x')), 'invalid_path');
  assert.is(await within(2_000, codeOf(workspace.write('pipe', 'x'))), 'invalid_path');
});

test('a write that fails leaves the old content and no temporary file', async () => {
  const workspace = await openWorkspace(tempDirectory());
  await workspace.write('file', 'old');
  assert.is(await codeOf(workspace.write(`${'n'.repeat(260)}`, 'x')), 'bad_path');
  assert.is(await codeOf(workspace.write(`sub/${'n'.repeat(260)}`, 'x')), 'bad_path');
  assert.equal(
    (await readdir(workspace.root)).filter((name) => name.endsWith('.tmp')),
    [],
  );
});

test('many writers of one file leave one whole content', async () => {
  const workspace = await openWorkspace(tempDirectory());
  const contents = Array.from({ length: 20 }, (_, at) => String(at).repeat(50_000));
  await Promise.all(contents.map((content) => workspace.write('deep/er/file', content)));
  assert.ok(contents.includes(await readFile(join(workspace.root, 'deep/er/file'), 'utf8')));
  assert.equal(await readdir(join(workspace.root, 'deep/er')), ['file']);
});

test.run();
