import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createIgnoreLevel } from '../../lib/checkpoints/ignore-levels.ts';
import { openRoot } from '../../lib/checkpoints/open-directory.ts';
import { toText } from '../../lib/checkpoints/raw-path.ts';
import { snapshotOf } from '../../lib/checkpoints/snapshot-extras.ts';
import { walk } from '../../lib/checkpoints/walk.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { hasGit, runGit } from './native-git.ts';

const test = suite('Ignore rules: built-in list, then the ignore files, then checkpoints.exclude');

/** What a snapshot would hold. */
function captured(root: string, exclude: string[] = []): string[] {
  const directory = openRoot(root);
  try {
    const walked = walk(directory, {
      rules: createIgnoreLevel(exclude),
      own: [],
      maxFiles: 10_000,
      before: undefined,
      progress() {},
    });
    return [...snapshotOf(walked.root, walked).files.keys()].map(toText).sort();
  } finally {
    directory.close();
  }
}

function tree(files: Record<string, string> | string[]): string {
  const root = tempDirectory('ignore');
  const entries = Array.isArray(files) ? files.map((file): [string, string] => [file, '']) : Object.entries(files);
  for (const [path, content] of entries) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

test('rules that a regular expression would take minutes for hold nobody up; those of the operator have the last word', () => {
  const deep = `${'a/'.repeat(60)}bc`;
  const hostile = `${'**/a/'.repeat(8)}b\n${'x/**/y/**/z\n'.repeat(200)}`;
  assert.equal(captured(tree({ '.gitignore': hostile, [deep]: '', 'kept/no': '', 'kept/yes': '' }), ['**/no']), [
    '.gitignore',
    deep,
    'kept/yes',
  ]);
});

test('rules that take too long all the same refuse the snapshot, with the reason', () => {
  const root = tree({ '.gitignore': `${'*a'.repeat(50)}b\n`.repeat(90), ['a'.repeat(250)]: '' });
  const directory = openRoot(root);
  const options = { rules: createIgnoreLevel([]), own: [], maxFiles: 10, before: undefined, progress() {} };
  assert.throws(
    () => walk(directory, { ...options, mostIgnoreMs: 0.01 }),
    /ignore files of the workspace take more than/,
  );
  assert.is(walk(directory, options).files, 2);
  directory.close();
});

test('dependencies, build output, caches, virtual environments, logs and files of the system are left out', () => {
  const left = [
    'node_modules/a/b.js',
    'deep/node_modules/c.js',
    'dist/x',
    'build/x',
    '.venv/x',
    '__pycache__/x',
    'a.log',
  ];
  const root = tree([...left, '.DS_Store', '.cache/x', 'source/a.ts', 'README.md', 'deep/keep']);
  assert.equal(captured(root), ['README.md', 'deep/keep', 'source/a.ts']);
});

test('an ignore file takes back what the built-in list ignores, exclude has the last word', () => {
  const root = tree({
    '.gitignore': '!build/\nnotes/\n',
    'build/x.js': '',
    'build/b.log': '',
    'notes/a': '',
    'deep/.gitignore': '!dist/',
    'deep/dist/y.js': '',
    'dist/z': '',
  });
  assert.equal(captured(root), ['.gitignore', 'build/x.js', 'deep/.gitignore', 'deep/dist/y.js']);
  assert.equal(captured(root, ['deep', '!notes/', '!*.log']), ['.gitignore', 'build/b.log', 'build/x.js', 'notes/a']);
});

test('.git entries are never captured, whatever the rules say; files of nested repositories are', () => {
  const root = tree({
    '.gitignore': '!.git\n!.git/\n',
    '.git/config': '',
    'module/.git': 'gitdir: x',
    'module/a': '',
    'case/.GIT/x': '',
  });
  assert.equal(captured(root, ['!.git']), ['.gitignore', 'module/a']);
});

/** Ignore files by directory, and the files around them. Names are outside of the built-in list. */
const cases: { rules: Record<string, string>; files: string[] }[] = [
  { rules: { '': '*\n!*/\n!*.ts\n' }, files: ['a.ts', 'a.js', 'd/a.ts', 'd/e/b.ts', 'd/e/b.js'] },
  { rules: { '': '/a\nb/\n/c/d\ne/f\n' }, files: ['a', 'x/a', 'b/x', 'x/b/y', 'y/b', 'c/d', 'x/c/d', 'e/f', 'x/e/f'] },
  {
    rules: { '': '**/m\nn/**\no/**/p\n' },
    files: ['m', 'x/m', 'n/a', 'n/b/c', 'x/n/a', 'o/p', 'o/q/p', 'o/q/r/p', 'x/o/p'],
  },
  {
    rules: { '': '[abc].x\n[!d].y\n?.z\n[[:digit:]].w\n' },
    files: ['a.x', 'd.x', 'd.y', 'e.y', 'q.z', 'qq.z', '1.w', 'a.w'],
  },
  { rules: { '': '\\!x\n\\#y\n#z\n!k\n' }, files: ['!x', '#y', '#z', 'k'] },
  { rules: { '': 'trailing  \nkept\\ \n\tq\n' }, files: ['trailing', 'kept ', 'kept', '\tq', 'q'] },
  { rules: { '': 'CASE\nlower\n' }, files: ['CASE', 'case', 'Lower', 'lower', 'd/CASE'] },
  { rules: { '': '*.t\n', d: '!*.t\n' }, files: ['a.t', 'd/a.t', 'd/e/a.t', 'f/a.t'] },
  {
    rules: { '': '!*.t\n', d: '*.t\n', 'd/e': '!keep.t\n' },
    files: ['a.t', 'd/a.t', 'd/e/a.t', 'd/e/keep.t', 'd/e/f/keep.t'],
  },
  {
    rules: { d: '/a\nb/c\n*/g\nh/\n' },
    files: ['a', 'd/a', 'd/x/a', 'd/b/c', 'd/x/b/c', 'd/i/g', 'd/i/j/g', 'd/h/x', 'd/k/h/x', 'd/l/h'],
  },
  { rules: { '': 'p/\n', p: '!q\n', r: '*\n!keep\n' }, files: ['p/q', 'r/keep', 'r/lose', 'r/s/keep'] },
  { rules: { '': 'a*b\n*c*\nd\\*e\n' }, files: ['ab', 'axb', 'a/b', 'xcx', 'd*e', 'dxe'] },
  {
    rules: { '': 'ü\n日*\n', 'odd [dir]*': '/inner\n' },
    files: ['ü', 'ünder', '日本', 'odd [dir]*/inner', 'odd d/inner', 'odd [dir]*/x/inner'],
  },
  { rules: { '': 'crlf\r\nsecond\r\n' }, files: ['crlf', 'second', 'third'] },
  { rules: { '': 'foo/*\n!foo/bar\n/*/baz\n' }, files: ['foo/a', 'foo/bar', 'foo/c/d', 'x/baz', 'x/y/baz'] },
  { rules: { '': '/**/v\nw/**/\n/x/**\n!/x/keep\n' }, files: ['v', 'a/v', 'w/a', 'w/b/c', 'x/a', 'x/keep'] },
];

for (const [number, { rules, files }] of cases.entries())
  test(`the same files as git ls-files --exclude-standard, case ${number + 1}: ${JSON.stringify(rules)}`, () => {
    if (!hasGit) return;
    const root = tree(files);
    for (const [directory, text] of Object.entries(rules)) {
      mkdirSync(join(root, directory), { recursive: true });
      writeFileSync(join(root, directory, '.gitignore'), text);
    }
    runGit(root, 'init', '-q');
    const listed = runGit(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
    rmSync(join(root, '.git'), { recursive: true });
    assert.equal(captured(root), listed.filter(Boolean).sort());
  });

test.run();
