import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createIgnoreRules, type IgnoreRules } from '../../lib/workspace/ignore-rules.ts';
import { hasGit, runGit } from '../checkpoints/native-git.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';

const same = suite('Ignore files mean what they mean to git');

/** Three directories deep, with every name at every place, as a file or as a directory. */
const names = ['a', 'b', 'ab', 'a.b', '-', '!a', '#b', 'a b', '[a]', 'a\\', '.a', 'A'];
const folders = ['', 'd', 'd/a', 'd/a/e', 'd/a/e/b', 'ad', 'ad/b'];
const files = folders.flatMap((folder) => names.map((name) => (folder === '' ? `f-${name}` : `${folder}/f-${name}`)));
const more = ['x/a', 'x/b/a', 'x/b/c/a', 'x/b/c/d/a', 'b', 'y/ab/a.b', 'y/ab/b/a/b'];

interface Repository {
  root: string;
  paths: string[];
  directories: Set<string>;
}

/** A repository whose own exclude file has the built-in list, which stands before every ignore file. */
function repository(): Repository {
  const root = tempDirectory('ignore-git');
  runGit(root, 'init', '-q');
  const paths = [...files, ...more, ...names.map((name) => `n/${name}`)];
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
  }
  const directories = new Set<string>();
  for (const path of paths)
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) directories.add(path.slice(0, at));
  return { root, paths: [...paths, ...directories], directories };
}

/** What git ignores of these paths; it says nothing of what is not. */
function ignoredByGit({ root, paths }: Repository): string[] {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
  try {
    const options = { cwd: root, env, input: paths.join('\0'), encoding: 'utf8', stdio: 'pipe' } as const;
    return execFileSync('git', ['check-ignore', '--no-index', '-z', '--stdin'], options)
      .split('\0')
      .filter(Boolean)
      .sort();
  } catch (error) {
    // It ends with 1 when nothing is ignored.
    if (error instanceof Error && 'status' in error && error.status === 1) return [];
    throw error;
  }
}

/** The same by our rules, asked from the top down as a walk does. */
function ignoredByUs({ paths, directories }: Repository, ignoreFiles: Record<string, string>): string[] {
  const ignored = (path: string): boolean => {
    let rules: IgnoreRules = createIgnoreRules();
    const segments = path.split('/');
    return segments.some((_, depth) => {
      const above = segments.slice(0, depth).join('/');
      const text = ignoreFiles[above];
      if (text !== undefined) rules = rules.with(above, text);
      const here = segments.slice(0, depth + 1).join('/');
      return rules.ignores(here, directories.has(here));
    });
  };
  return paths.filter(ignored).sort();
}

function compare(place: Repository, ignoreFiles: Record<string, string>): void {
  const written = Object.entries(ignoreFiles).map(([folder, text]) => {
    const path = join(place.root, folder, '.gitignore');
    writeFileSync(path, text);
    return path;
  });
  const theirs = ignoredByGit(place);
  for (const path of written) rmSync(path);
  assert.equal(ignoredByUs(place, ignoreFiles), theirs, JSON.stringify(ignoreFiles));
}

const part = fc.constantFrom(
  'a',
  'b',
  'd',
  'e',
  'f-',
  'x',
  'y',
  'n',
  '*',
  '**',
  '***',
  '?',
  '/',
  '/',
  '/**/',
  '\\',
  '[ab]',
  '[!a]',
  '[^b]',
  '[a-c]',
  '[]a]',
  '[',
  '[[:alpha:]]',
  '[b-',
  ']',
  '.',
  '-',
  '!',
  '#',
  ' ',
  '\\ ',
  '\r',
  '\t',
);
const common = fc.constantFrom(
  'a',
  'b',
  'f-a',
  '!a',
  '!f-a',
  '*',
  '*a',
  '!*a',
  'd/',
  '!d/',
  'x/',
  'x/**',
  '!x/b/',
  '!*/',
  '!**/a',
);
const made = fc
  .tuple(
    fc.constantFrom('', '', '', '!', '/', '**/'),
    fc.array(part, { minLength: 1, maxLength: 7 }),
    fc.constantFrom('', '', '/', '/**', '  '),
  )
  .map(([front, parts, end]) => `${front}${parts.join('')}${end}`)
  // An escaped slash is taken for a slash here; git does, too, but for the directories in front of it.
  .filter((text) => !text.includes('\\/'));
const text = fc.array(fc.oneof(common, made), { minLength: 1, maxLength: 5 }).map((rules) => rules.join('\n'));

same('the rules of a manual page', () => {
  const place = repository();
  for (const one of [
    '**/a',
    'x/**/a',
    '/x/**/a',
    'x/**',
    '**/b/**/a',
    'x/**/b/**/c/**/a',
    '**/**/**/a',
    'a**/b',
    'y/a**',
    '*',
    '*\n!*/\n!a',
    'd/',
    '/d',
    'd/a',
    '*.b',
    'f-*',
    'f-a?b',
    '\\#b',
    '\\!a',
    'n/\\[a\\]',
    'n/[[]a]',
    'n/a\\ b',
    'n/a b  ',
    'n/a\\',
    'n/a\\\\',
    '[!a-z]',
    'n/[[:upper:]]',
    'n/[]-a]',
    '',
    '/',
    '//',
    '!',
    '#a',
    'd//',
    '**',
    '**/',
    '/**',
    'x/*/a',
    'x/?/a',
    'x[/]b',
    '\uFEFFa',
    'a\r\nb\r',
    'x/**b/a',
    'x/b**/a',
  ])
    compare(place, { '': one });
  compare(place, { '': 'a\n', x: '!a\n/b/\n', 'x/b': '!c\n' });
  compare(place, { '': '**/e\n!d/**/e', 'd/a': 'e/**\n!e/b' });
});

same('any rules, at the top and below', () => {
  const place = repository();
  const runs = Number(process.env.IGNORE_RUNS ?? 100);
  const nested = fc.option(text, { nil: undefined });
  fc.assert(
    fc.property(text, nested, nested, (top, d, x) =>
      compare(place, { '': top, ...(d === undefined ? {} : { d }), ...(x === undefined ? {} : { 'x/b': x }) }),
    ),
    { numRuns: runs },
  );
});

const costs = suite('Ignore files of strangers cost no more than their length times that of the path');

costs('stars of either kind, however many', () => {
  const deep = `${'a/'.repeat(1_000)}b`;
  const long = 'a'.repeat(4_000);
  const rules = createIgnoreRules().with(
    '',
    `${'**/a/'.repeat(100)}c\n${'*a'.repeat(100)}c\n${'a**a/**/'.repeat(50)}c\n`,
  );
  for (const path of [deep, long]) assert.is(rules.ignores(path, false), false);
  assert.ok(rules.ignores(`${'a/'.repeat(200)}c`, false), 'all of them are read');
});

costs('beyond 10,000 signs of wildcards, those of all levels together, rules with wildcards are left out', () => {
  const many = '*aa?bb*\n'.repeat(1_300);
  const rules = createIgnoreRules().with('', `${many}*.kept\n${'x'.repeat(9)}`);
  assert.is(rules.ignores('a.kept', false), false);
  assert.ok(rules.ignores('x'.repeat(9), false), 'without wildcards they cost nothing');
  assert.is(rules.with('d', '*.below').ignores('d/a.below', false), false);
  assert.ok(
    createIgnoreRules(['*.mine']).with('', many).ignores('a.mine', false),
    'those of the operator are always read',
  );
});

if (hasGit) same.run();
costs.run();
