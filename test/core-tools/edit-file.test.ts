import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createToolBench } from './tool-bench.ts';

const test = suite('edit_file replaces exactly what it was told to, or says why not');

async function edit(before: string | Uint8Array, args: Record<string, unknown>) {
  const { call, workspace } = await createToolBench({ f: before });
  const result = await call('edit_file', { path: 'f', ...args });
  return { ...result, after: await readFile(join(workspace.root, 'f'), 'utf8') };
}

test('one occurrence', async () => {
  const result = await edit('a\nb\nc\n', { old_string: 'b', new_string: 'B' });
  assert.is(result.after, 'a\nB\nc\n');
  assert.is(result.content, 'Changed f at line 2.');
  assert.equal(result.data, {
    path: 'f',
    replacements: 1,
    diff: '--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n',
    additions: 1,
    deletions: 1,
  });
});

test('several occurrences are refused with their lines, unless all are meant', async () => {
  const refused = await edit('x\ny\nx\nx\n', { old_string: 'x', new_string: 'z' });
  assert.is(refused.isError, true);
  assert.match(refused.content, /occurs 3 times \(lines 1, 3, 4\)/);
  assert.is(refused.after, 'x\ny\nx\nx\n');
  const many = await edit('x\n'.repeat(5_000), { old_string: 'x', new_string: 'z' });
  assert.match(many.content, /occurs 1000 or more times \(lines 1, 2, /);
  const all = await edit('x\ny\nx\nx\n', { old_string: 'x', new_string: 'z', replace_all: true });
  assert.is(all.after, 'z\ny\nz\nz\n');
  assert.is(all.content, 'Changed f at 3 places.');
});

test('a file does not grow beyond what can be edited; a large one may shrink', async () => {
  const large = 'a'.repeat(1024 * 1024);
  const refused = await edit(large, { old_string: 'a', new_string: 'x'.repeat(11), replace_all: true });
  assert.is(refused.isError, true);
  assert.match(refused.content, 'The file would have 11534336 characters, and over 10485760 bytes none can be edited.');
  assert.is(refused.after, large);
  const fits = await edit(large, { old_string: 'a', new_string: 'x'.repeat(10), replace_all: true });
  assert.is(fits.after.length, 10 * large.length);
  const largest = await edit('ab'.repeat(5 * 1024 * 1024), { old_string: 'ab', new_string: 'c', replace_all: true });
  assert.is(largest.after.length, 5 * 1024 * 1024);
});

test('no occurrence names the closest line', async () => {
  const near = await edit('function a() {\n    return 1;\n}\n', { old_string: 'return 1;\n  }', new_string: '' });
  assert.is(near.isError, true);
  assert.match(near.content, /Line 2 looks alike/);
  const within = await edit('no return 1;\nreturn 1; no\n\treturn 1;', { old_string: 'return 1;\nx', new_string: '' });
  assert.match(within.content, /Line 3 looks alike/);
  const far = await edit('a', { old_string: 'zzz', new_string: '' });
  assert.match(far.content, /not found.*Read the file again/);
});

test('replacement patterns are plain text', async () => {
  assert.is((await edit('a.b', { old_string: '.', new_string: '$&$1$$' })).after, 'a$&$1$$b');
  assert.is((await edit('a(b', { old_string: '(', new_string: '\\' })).after, 'a\\b');
});

test('CRLF stays CRLF', async () => {
  const result = await edit('a\r\nb\r\nc\r\n', { old_string: 'a\nb', new_string: 'x\ny\nz' });
  assert.is(result.after, 'x\r\ny\r\nz\r\nc\r\n');
});

test('a byte order mark and a missing final line break stay', async () => {
  assert.is((await edit('\ufeffa\nb', { old_string: 'a', new_string: 'c' })).after, '\ufeffc\nb');
});

test('an empty new string removes; empty or equal strings are refused', async () => {
  assert.is((await edit('abc', { old_string: 'b', new_string: '' })).after, 'ac');
  assert.match((await edit('abc', { old_string: '', new_string: 'x' })).content, /old_string is empty/);
  assert.match((await edit('abc', { old_string: 'a', new_string: 'a' })).content, /nothing would change/);
});

test('a file that is not UTF-8 is never rewritten', async () => {
  const result = await edit(Buffer.from([0x61, 0xff, 0x62]), { old_string: 'a', new_string: 'c' });
  assert.is(result.isError, true);
  assert.match(result.content, /not UTF-8/);
});

test('a missing file is not made', async () => {
  const { call } = await createToolBench();
  const result = await call('edit_file', { path: 'nope', old_string: 'a', new_string: 'b' });
  assert.match(result.content, /nothing at this path/);
});

test('two texts that take long to compare are changed without a diff', async () => {
  const words = (seed: number) => Array.from({ length: 8_000 }, (_, at) => `${(at * seed) % 7919}`).join('\n');
  const { call, workspace } = await createToolBench({ f: words(31) });
  const result = await call('write_file', { path: 'f', content: words(57) });
  assert.is(result.isError, undefined);
  assert.is(await readFile(join(workspace.root, 'f'), 'utf8'), words(57));
});

test.run();
