import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../helpers/within.ts';
import { createToolBench } from './tool-bench.ts';

const test = suite('find_files and search_files look through the workspace, whatever the pattern');

const tree = {
  'src/a.ts': 'const alpha = 1;\nconst beta = alpha;\n',
  'src/deep/b.ts': 'alpha\r\nBETA\r\n',
  'src/b.test.ts': '// (alpha)\n',
  'README.md': 'alpha beta\n',
  '.env.example': 'KEY=alpha\n',
  'node_modules/x/index.ts': 'alpha\n',
  'ignored.ts': 'alpha\n',
  '.gitignore': 'ignored.ts\n',
  'image.bin': Buffer.from('alpha\0'),
};

test('find_files takes globs relative to the directory', async () => {
  const { call } = await createToolBench(tree);
  const found = async (args: Record<string, unknown>) => (await call('find_files', args)).content.split('\n');
  assert.equal(await found({ pattern: '*.ts' }), ['src/a.ts', 'src/b.test.ts', 'src/deep/b.ts']);
  assert.equal(await found({ pattern: 'src/*.ts' }), ['src/a.ts', 'src/b.test.ts']);
  assert.equal(await found({ pattern: './src/**/b.*' }), ['src/b.test.ts', 'src/deep/b.ts']);
  assert.equal(await found({ pattern: '*.{md,example}' }), ['.env.example', 'README.md']);
  assert.equal(await found({ pattern: '*.ts', path: 'src/deep' }), ['src/deep/b.ts']);
  assert.equal(await found({ pattern: 'deep/*.ts', path: './src/' }), ['src/deep/b.ts']);
  assert.ok((await found({ pattern: '*.ts', include_ignored: true })).includes('node_modules/x/index.ts'));
  assert.equal(await found({ pattern: '*.rs' }), ['No file matches.']);
});

test('search_files shows path, line and text', async () => {
  const { call } = await createToolBench(tree);
  const result = await call('search_files', { pattern: 'alpha' });
  assert.is(
    result.content,
    [
      '.env.example:1: KEY=alpha',
      'README.md:1: alpha beta',
      'src/a.ts:1: const alpha = 1;',
      'src/a.ts:2: const beta = alpha;',
      'src/b.test.ts:1: // (alpha)',
      'src/deep/b.ts:1: alpha',
    ].join('\n'),
  );
  assert.equal(result.data, { matches: 6, files: 6, truncated: false });
});

test('search_files knows regular expressions, plain text, letter case, globs and context', async () => {
  const { call } = await createToolBench(tree);
  const lines = async (args: Record<string, unknown>) => (await call('search_files', args)).content.split('\n');
  assert.equal(await lines({ pattern: '^const \\w+ =', glob: '*.ts' }), [
    'src/a.ts:1: const alpha = 1;',
    'src/a.ts:2: const beta = alpha;',
  ]);
  assert.equal(await lines({ pattern: '(alpha)', literal: true }), ['src/b.test.ts:1: // (alpha)']);
  assert.equal(await lines({ pattern: 'beta', ignore_case: true, path: 'src/deep' }), ['src/deep/b.ts:2: BETA']);
  assert.equal(await lines({ pattern: 'BETA', context: 1 }), ['src/deep/b.ts-1- alpha', 'src/deep/b.ts:2: BETA']);
  assert.equal(await lines({ pattern: 'alpha', path: 'src/deep/b.ts' }), ['src/deep/b.ts:1: alpha']);
  assert.equal(await lines({ pattern: 'nowhere' }), ['No match in 6 files.']);
});

test('a match ends at max_results and says so', async () => {
  const { call } = await createToolBench({ a: 'x\n'.repeat(50) });
  const { content, data } = await call('search_files', { pattern: 'x', max_results: 3 });
  assert.equal(content.split('\n'), ['a:1: x', 'a:2: x', 'a:3: x', '[There are more than 3 matches.]']);
  assert.equal(data, { matches: 3, files: 1, truncated: true });
  assert.not.match((await call('search_files', { pattern: 'x', max_results: 50 })).content, /more than/);
});

test('a long line is shown around the match', async () => {
  const { call } = await createToolBench({ 'min.js': `${'a'.repeat(5_000)}needle${'b'.repeat(5_000)}` });
  const { content } = await call('search_files', { pattern: 'needle' });
  assert.ok(content.length < 500);
  assert.match(content, /needle/);
});

test('what is no pattern is explained', async () => {
  const { call } = await createToolBench(tree);
  const result = await call('search_files', { pattern: '(' });
  assert.is(result.isError, true);
  assert.match(result.content, /no regular expression/);
});

test('a pattern that never ends is stopped, and this thread stays free', async () => {
  const { call } = await createToolBench({ a: `${'a'.repeat(40)}!` });
  const ticks = { count: 0 };
  const timer = setInterval(() => ticks.count++, 20);
  const result = await within(10_000, call('search_files', { pattern: '^(a+)+$' }));
  clearInterval(timer);
  assert.is(result.isError, true);
  assert.match(result.content, /too long/);
  assert.ok(ticks.count > 20, 'timers went on');
});

test('a glob that never ends is stopped as well', async () => {
  const { call } = await createToolBench({ [`${'a'.repeat(200)}b`]: '' });
  const glob = `${'*a'.repeat(30)}c`;
  const result = await within(10_000, call('find_files', { pattern: glob }));
  assert.match(result.content, /too long|No file matches/);
});

test('cancel ends a search that is stuck', async () => {
  const { call } = await createToolBench({ a: `${'a'.repeat(40)}!` });
  const abort = new AbortController();
  setTimeout(() => abort.abort(new Error('cancelled')), 200);
  const result = await within(5_000, call('search_files', { pattern: '^(a+)+$' }, { signal: abort.signal }));
  assert.is(result.content, 'cancelled');
});

test('links out of the workspace are not searched', async () => {
  const { call, workspace } = await createToolBench({ a: 'root' });
  await symlink('/etc', join(workspace.root, 'etc'));
  assert.is((await call('search_files', { pattern: 'root', literal: true })).content, 'a:1: root');
  assert.is((await call('search_files', { pattern: 'root', path: 'etc' })).isError, true);
});

test.run();
