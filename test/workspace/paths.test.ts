import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Workspace } from '../../lib/workspace/workspace.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { codeOf, openWorkspace } from './open-workspace.ts';

const test = suite('Every path is served from inside the workspace or refused with the code of its kind');

const secret = 'TOP SECRET';
const up = (count: number, rest: string) => `${'../'.repeat(count)}${rest}`;

/** Names that only look dangerous. */
const oddNames = [
  ...[
    '..a',
    'a..',
    '...',
    'a b',
    '%2e%2e',
    '%2e%2e%2fa',
    '~',
    '$HOME',
    'ünïcödé',
    '日本語',
    '🙂',
    '-rf',
    'a\\b',
    'a:b',
  ],
  'a\'b"c',
];

/** [path, code of read, code of list]; `none` means served. */
const corpus: [path: string, read: string, list: string][] = [
  // Inside, in every spelling.
  ...['a.txt', './a.txt', '././a.txt', 'src/../a.txt', 'src//../a.txt', './src/./../a.txt', 'src/deep/../../a.txt'].map(
    (path): [string, string, string] => [path, 'none', 'invalid_path'],
  ),
  ...['src/b.ts', 'src//b.ts', 'src/./b.ts', 'src/deep/../b.ts', 'nothing/../src/b.ts', 'src/link-in-dir/a.txt'].map(
    (path): [string, string, string] => [path, 'none', 'invalid_path'],
  ),
  ...['link-in', 'link-twice', 'link-absolute-in', 'link-dir/b.ts', 'link-dir/../a.txt'].map(
    (path): [string, string, string] => [path, 'none', 'invalid_path'],
  ),
  ...['.', './', './.', 'src', 'src/', 'src//', 'src/.', 'src/deep/..', 'link-dir', 'link-dir/', 'src/../.'].map(
    (path): [string, string, string] => [path, 'invalid_path', 'none'],
  ),
  ...oddNames.map((path): [string, string, string] => [path, 'none', 'invalid_path']),
  ['line\nbreak', 'none', 'invalid_path'],
  // Nothing there.
  ...[
    'nothing',
    'src/nothing',
    'nothing/at/all',
    'a.txt/x',
    'src/b.ts/../..',
    'A.TXT',
    'a.txt ',
    'dangling-in',
    'loop',
    'loop/x',
  ].map((path): [string, string, string] => [
    path,
    path === 'src/b.ts/../..' ? 'invalid_path' : 'not_found',
    path === 'src/b.ts/../..' ? 'none' : 'not_found',
  ]),
  // Out by dots.
  ...[
    '..',
    '../',
    './..',
    '../.',
    '../secret.txt',
    '../inside-evil/secret.txt',
    '../inside/../secret.txt',
    'src/../../secret.txt',
  ].map((path): [string, string, string] => [path, 'outside_workspace', 'outside_workspace']),
  ...[
    'src/deep/../../../secret.txt',
    './/..//secret.txt',
    'a/b/c/../../../../secret.txt',
    '../inside',
    '../inside/a.txt',
    '../..',
  ].map((path): [string, string, string] => [path, 'outside_workspace', 'outside_workspace']),
  ...[1, 2, 3, 5, 10, 20, 50].map((count): [string, string, string] => [
    up(count, 'etc/passwd'),
    'outside_workspace',
    'outside_workspace',
  ]),
  ...[2, 4, 8].map((count): [string, string, string] => [
    `src/deep/${up(count + 2, 'etc/passwd')}`,
    'outside_workspace',
    'outside_workspace',
  ]),
  // Out by links, whether something is there or not.
  ...[
    'link-out',
    'link-evil',
    'link-root/etc/passwd',
    'link-parent/secret.txt',
    'link-parent/inside-evil/secret.txt',
    'link-chain',
  ].map((path): [string, string, string] => [path, 'outside_workspace', 'outside_workspace']),
  ...[
    'link-parent/nothing',
    'link-root/nothing/at/all',
    'dangling-out',
    'dangling-out/x',
    'src/link-up/secret.txt',
    'link-parent',
    'link-root',
  ].map((path): [string, string, string] => [path, 'outside_workspace', 'outside_workspace']),
  ...[
    'link-relative-out',
    'link-parent/inside/../secret.txt',
    'link-dir/../link-out',
    'link-proc',
    'link-proc/self/environ',
  ].map((path): [string, string, string] => [path, 'outside_workspace', 'outside_workspace']),
  // Absolute.
  ...[
    '/',
    '//',
    '///etc/passwd',
    '/etc/passwd',
    '/proc/self/environ',
    '\\etc\\passwd',
    '\\\\host\\share',
    'C:\\x',
    'c:/x',
    '/..',
  ].map((path): [string, string, string] => [path, 'invalid_path', 'invalid_path']),
  // No paths at all.
  ...['\0', 'a.txt\0', 'a.txt\0.png', '../\0', '/\0', 'src/\0/b.ts', 'a'.repeat(4_097), `${'a/'.repeat(2_100)}b`].map(
    (path): [string, string, string] => [path, 'bad_path', 'bad_path'],
  ),
  ...['\ud800', 'a\udfff.txt', 'n'.repeat(256), `src/${'n'.repeat(300)}`].map((path): [string, string, string] => [
    path,
    'bad_path',
    'bad_path',
  ]),
  ['', 'invalid_path', 'none'],
];

async function prepared(): Promise<Workspace> {
  const base = tempDirectory('paths');
  const inside = join(base, 'inside');
  await mkdir(join(inside, 'src/deep'), { recursive: true });
  await mkdir(join(base, 'inside-evil'));
  await writeFile(join(base, 'secret.txt'), secret);
  await writeFile(join(base, 'inside-evil/secret.txt'), secret);
  await writeFile(join(inside, 'a.txt'), 'a');
  await writeFile(join(inside, 'src/b.ts'), 'b');
  for (const name of [...oddNames, 'line\nbreak']) await writeFile(join(inside, name), name);
  const links: [string, string][] = [
    ['a.txt', 'link-in'],
    ['link-in', 'link-twice'],
    [join(inside, 'a.txt'), 'link-absolute-in'],
    ['src', 'link-dir'],
    ['..', 'src/link-in-dir'],
    ['nowhere', 'dangling-in'],
    ['loop', 'loop'],
    [join(base, 'secret.txt'), 'link-out'],
    ['../secret.txt', 'link-relative-out'],
    ['../inside-evil/secret.txt', 'link-evil'],
    ['link-out', 'link-chain'],
    ['/', 'link-root'],
    ['..', 'link-parent'],
    ['../..', 'src/link-up'],
    [join(base, 'nothing-here'), 'dangling-out'],
    ['/proc', 'link-proc'],
  ];
  for (const [target, path] of links) await symlink(target, join(inside, path));
  return openWorkspace(base);
}

test('reading a file', async () => {
  const workspace = await prepared();
  assert.ok(corpus.length >= 100, `${corpus.length} cases`);
  for (const [path, expected] of corpus) assert.is(await codeOf(workspace.read(path)), expected, `read ${show(path)}`);
});

test('listing a directory', async () => {
  const workspace = await prepared();
  for (const [path, , expected] of corpus)
    assert.is(await codeOf(workspace.list(path)), expected, `list ${show(path)}`);
});

test('writing a file: nothing outside appears or changes', async () => {
  for (const [path, read] of corpus) {
    const workspace = await prepared();
    const code = await codeOf(workspace.write(path, 'written'));
    if (read === 'none') assert.is(code, 'none', `write ${show(path)}`);
    if (read === 'outside_workspace' || read === 'bad_path') assert.is(code, read, `write ${show(path)}`);
    const outside = join(workspace.root, '..');
    assert.equal((await readdir(outside)).sort(), ['inside', 'inside-evil', 'secret.txt'], `write ${show(path)}`);
    assert.is(await readFile(join(outside, 'secret.txt'), 'utf8'), secret);
    assert.is(await readFile(join(outside, 'inside-evil/secret.txt'), 'utf8'), secret);
  }
});

test('no answer contains a byte of what lies outside', async () => {
  const workspace = await prepared();
  for (const [path] of corpus) {
    const file = await workspace.read(path).catch(() => undefined);
    assert.not.ok(file?.content.includes(secret), `read ${show(path)}`);
  }
});

function show(path: string): string {
  return JSON.stringify(path.length > 60 ? `${path.slice(0, 60)}...` : path);
}

test.run();
