import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Workspace } from '../../lib/workspace/workspace.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { codeOf, openWorkspace, pathsOf } from './open-workspace.ts';

const test = suite('A walk yields every file below a directory that is not ignored');

const signal = AbortSignal.timeout(20_000);

async function tree(files: Record<string, string>): Promise<Workspace> {
  const workspace = await openWorkspace(tempDirectory());
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(workspace.root, dirname(path)), { recursive: true });
    await writeFile(join(workspace.root, path), content);
  }
  return workspace;
}

test('depth first, by name', async () => {
  const workspace = await tree({ 'b/2': '', 'b/1': '', a: '', 'b.txt': '', 'b/c/x': '' });
  assert.equal(await pathsOf(workspace.walk('.', { signal })), ['a', 'b/1', 'b/2', 'b/c/x', 'b.txt']);
  assert.equal(await pathsOf(workspace.walk('b/c/', { signal })), ['b/c/x']);
});

test('dependencies, build output and caches are left out unless asked for', async () => {
  const workspace = await tree({
    'src/a.ts': '',
    'node_modules/x/index.js': '',
    '.git/config': '',
    'dist/a.js': '',
    '__pycache__/a.pyc': '',
    'x.log': '',
  });
  assert.equal(await pathsOf(workspace.walk('.', { signal })), ['src/a.ts']);
  assert.is((await pathsOf(workspace.walk('.', { signal, ignore: false }))).length, 6);
  assert.equal(await pathsOf(workspace.walk('node_modules/x', { signal })), ['node_modules/x/index.js']);
});

test('rules that a regular expression would take minutes for hold nobody up, and the others are read', async () => {
  const deep = `${'a/'.repeat(60)}bc`;
  const workspace = await tree({
    '.gitignore': `${'**/a/'.repeat(8)}b\n**/x/**/y\nlib/**/gone\n${'a/**/'.repeat(20_000)}\nout/**\n**/named\n`,
    [deep]: '',
    'x/1/y': '',
    'x/1/z': '',
    'lib/1/2/gone': '',
    'out/1': '',
    'deep/named': '',
  });
  assert.equal(await pathsOf(workspace.walk('.', { signal })), ['.gitignore', deep, 'x/1/z']);
});

test('a rule means the same in every directory, with blanks behind it and a mark in front of the file', async () => {
  const workspace = await tree({
    'sub/.gitignore': '\ufefffirst\nskip/ \n/top/ \n',
    'sub/first': '',
    'sub/deep/skip/x': '',
    'sub/deep/top/x': '',
    'sub/top/x': '',
  });
  assert.equal(await pathsOf(workspace.walk('.', { signal })), ['sub/.gitignore', 'sub/deep/top/x']);
});

test('a class of signs that there is not makes its rule match nothing, whatever it is called', async () => {
  const rules = ['constructor', 'toString', '__proto__', 'nothing', ''].map((name) => `[[:${name}:]]\n`);
  const workspace = await tree({ '.gitignore': `${rules.join('')}[[:digit:]]\n`, a: '', '1': '' });
  assert.equal(await pathsOf(workspace.walk('.', { signal })), ['.gitignore', 'a']);
});

test('letter case counts, as it does for git here', async () => {
  const workspace = await tree({ '.gitignore': 'notes\n', 'Build/x': '', Notes: '', notes: '' });
  assert.equal(await pathsOf(workspace.walk('.', { signal })), ['.gitignore', 'Build/x', 'Notes']);
});

test('nested .gitignore files: the deepest that has an opinion wins', async () => {
  const workspace = await tree({
    '.gitignore': '*.tmp\n/only-here\n!dist/\nsub/secret/\n',
    'a.tmp': '',
    'only-here': '',
    'dist/kept.js': '',
    'sub/.gitignore': '!keep.tmp\nlocal.txt\n',
    'sub/only-here': '',
    'sub/keep.tmp': '',
    'sub/other.tmp': '',
    'sub/local.txt': '',
    'sub/secret/x': '',
    'local.txt': '',
  });
  const expected = ['.gitignore', 'dist/kept.js', 'local.txt', 'sub/.gitignore', 'sub/keep.tmp', 'sub/only-here'];
  assert.equal(await pathsOf(workspace.walk('.', { signal })), expected);
  assert.equal(
    await pathsOf(workspace.walk('sub', { signal })),
    expected.filter((path) => path.startsWith('sub/')),
    'rules of the directories above hold as well',
  );
});

test('links are not followed, so a ring of them ends', async () => {
  const workspace = await tree({ 'a/file': '' });
  await symlink('..', join(workspace.root, 'a/up'));
  await symlink('file', join(workspace.root, 'a/link'));
  await symlink('/etc', join(workspace.root, 'etc'));
  assert.equal(await pathsOf(workspace.walk('.', { signal })), ['a/file']);
});

test('it stops when the signal aborts', async () => {
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`d${at}/file`, '']));
  const workspace = await tree(files);
  const abort = new AbortController();
  const seen: string[] = [];
  const failure = await (async () => {
    for await (const file of workspace.walk('.', { signal: abort.signal })) {
      seen.push(file.path);
      if (seen.length === 3) abort.abort(new Error('cancelled'));
    }
    return undefined;
  })().catch((error: unknown) => error);
  assert.is(failure instanceof Error && failure.message, 'cancelled');
  assert.is(seen.length, 3);
});

test('a file or nothing at all is refused as in a listing', async () => {
  const workspace = await tree({ file: '' });
  assert.is(await codeOf(pathsOf(workspace.walk('file', { signal }))), 'invalid_path');
  assert.is(await codeOf(pathsOf(workspace.walk('nothing', { signal }))), 'not_found');
  assert.is(await codeOf(pathsOf(workspace.walk('..', { signal }))), 'outside_workspace');
});

test('a directory chain that is too deep ends instead of failing', async () => {
  const workspace = await tree({ [`${'d/'.repeat(80)}file`]: '', shallow: '' });
  assert.equal(await pathsOf(workspace.walk('.', { signal })), ['shallow']);
});

test.run();
