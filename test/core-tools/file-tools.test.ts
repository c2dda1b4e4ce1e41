import { mkdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createToolBench } from './tool-bench.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const test = suite('The file tools read, write and list inside the workspace');

test('read_file numbers the lines and says how to go on', async () => {
  const { call } = await createToolBench({ 'a.txt': 'one\ntwo\r\nthree\nfour\n' });
  assert.is(
    (await call('read_file', { path: 'a.txt' })).content,
    '     1\tone\n     2\ttwo\n     3\tthree\n     4\tfour',
  );
  const page = await call('read_file', { path: 'a.txt', offset: 2, limit: 2 });
  assert.is(page.content, '     2\ttwo\n     3\tthree\n[Line 3 of 4; go on with offset 4.]');
  assert.equal(page.data, { path: 'a.txt', size: 20, lines: 4, truncated: false, from: 2, to: 3 });
});

test('read_file takes an absolute path into the workspace', async () => {
  const { call, workspace } = await createToolBench({ 'src/a.txt': 'x' });
  assert.is((await call('read_file', { path: join(workspace.root, 'src/a.txt') })).content, '     1\tx');
});

test('read_file explains what it can not show', async () => {
  const { call, workspace } = await createToolBench({ 'a.bin': Buffer.from([0, 1]), empty: '', 'a.txt': 'x' });
  await mkdir(join(workspace.root, 'dir'));
  for (const [args, expected] of [
    [{ path: 'a.bin' }, /not text \(application\/octet-stream, 2 bytes\)/],
    [{ path: 'missing' }, /nothing at this path/],
    [{ path: 'dir' }, /directory/],
    [{ path: '../x' }, /out of the workspace/],
    [{ path: '/etc/passwd' }, /absolute/],
    [{ path: 'a.txt', offset: 5 }, /only 1 lines/],
  ] as const) {
    const result = await call('read_file', args);
    assert.match(result.content, expected);
    assert.is(result.isError, true, JSON.stringify(args));
  }
  const empty = await call('read_file', { path: 'empty' });
  assert.is(empty.content, 'empty is empty.');
  assert.is(empty.isError, undefined);
});

test('read_file gives an image as an image', async () => {
  const { call } = await createToolBench({ 'shot.png': png });
  const result = await call('read_file', { path: 'shot.png' });
  assert.equal(result.images, [{ mimeType: 'image/png', data: png.toString('base64'), name: 'shot.png' }]);
});

test('read_file gives an image over the 2 MB of a file read whole, and refuses one over 4 MB', async () => {
  const { call, workspace } = await createToolBench({ 'a.png': png, 'b.png': png });
  await truncate(join(workspace.root, 'a.png'), 3 * 1024 * 1024);
  await truncate(join(workspace.root, 'b.png'), 5 * 1024 * 1024);
  assert.is(
    Buffer.byteLength((await call('read_file', { path: 'a.png' })).images?.[0]?.data ?? '', 'base64'),
    3 * 1024 * 1024,
  );
  assert.is((await call('read_file', { path: 'b.png' })).isError, true);
});

test('read_file stays within maxOutputChars and reaches pages behind 2 MB', async () => {
  const { call } = await createToolBench(
    { 'big.txt': 'x'.repeat(99).concat('\n').repeat(50_000) },
    { maxOutputChars: 5_000 },
  );
  const first = await call('read_file', { path: 'big.txt' });
  assert.ok(first.content.length <= 5_000);
  assert.match(first.content, /\[Line \d+ of \d+; go on with offset \d+/);
  assert.match((await call('read_file', { path: 'big.txt', offset: 49_999, limit: 1 })).content, / 49999\tx/);
});

test('read_file cuts a line of megabytes', async () => {
  const { call } = await createToolBench({ 'min.js': 'x'.repeat(1_000_000) });
  const { content } = await call('read_file', { path: 'min.js' });
  assert.ok(content.length < 3_000);
  assert.match(content, /998000 more/);
});

test('write_file creates and replaces, with a diff for the people who watch', async () => {
  const { call, workspace } = await createToolBench({ 'a.txt': 'one\ntwo\n' });
  const created = await call('write_file', { path: 'new/b.txt', content: 'x\n' });
  assert.is(created.content, 'Created new/b.txt (2 bytes).');
  const replaced = await call('write_file', { path: 'a.txt', content: 'one\n2\n' });
  assert.is(replaced.content, 'Replaced a.txt (6 bytes).');
  const { diff, additions, deletions } = replaced.data as Record<string, unknown>;
  assert.match(String(diff), /^--- a\.txt\n\+\+\+ a\.txt\n@@ -1,2 \+1,2 @@\n one\n-two\n\+2\n$/);
  assert.equal([additions, deletions], [1, 1]);
  assert.is(await readFile(join(workspace.root, 'a.txt'), 'utf8'), 'one\n2\n');
});

test('write_file replaces a file that is not text', async () => {
  const { call } = await createToolBench({ 'a.bin': Buffer.from([0, 255]) });
  assert.is((await call('write_file', { path: 'a.bin', content: 'x' })).content, 'Replaced a.bin (1 bytes).');
});

test('write_file refuses .git, the files of the service and everything outside', async () => {
  const { call, workspace } = await createToolBench();
  await symlink('/tmp', join(workspace.root, 'tmp'));
  for (const path of ['.git/hooks/pre-commit', '.service/auth/accounts.json', '../x', '/tmp/x', 'tmp/x', '.'])
    assert.is((await call('write_file', { path, content: 'x' })).isError, true, path);
});

test('a cancelled call writes nothing', async () => {
  const { call, workspace } = await createToolBench({ a: 'old' });
  const signal = AbortSignal.abort(new Error('cancelled'));
  for (const [name, args] of [
    ['write_file', { path: 'a', content: 'new' }],
    ['edit_file', { path: 'a', old_string: 'old', new_string: 'new' }],
  ] as const)
    assert.is((await call(name, args, { signal })).content, 'cancelled');
  assert.is(await readFile(join(workspace.root, 'a'), 'utf8'), 'old');
});

test('list_files shows directories first', async () => {
  const { call } = await createToolBench({ 'b.txt': '123', 'dir/a': '' });
  const result = await call('list_files', {});
  assert.is(result.content, 'dir/\nb.txt (3)');
  assert.is((await call('list_files', { path: 'b.txt' })).isError, true);
});

test('without the restriction absolute paths work, but never to the files of the service or of the process', async () => {
  const { call, workspace } = await createToolBench({}, { restrictToWorkspace: false });
  const outside = join(workspace.root, '../outside.txt');
  await writeFile(outside, 'old');
  assert.is((await call('read_file', { path: outside })).content, '     1\told');
  assert.is((await call('read_file', { path: '../outside.txt' })).content, '     1\told');
  assert.is((await call('edit_file', { path: outside, old_string: 'old', new_string: 'new' })).isError, undefined);
  assert.is(await readFile(outside, 'utf8'), 'new');
  await mkdir(join(workspace.root, '.service/auth'), { recursive: true });
  await writeFile(join(workspace.root, '.service/auth/accounts.json'), 'secret');
  for (const path of [join(workspace.root, '.service/auth/accounts.json'), '/proc/self/environ', '/proc/1/environ'])
    assert.is((await call('read_file', { path })).isError, true, path);
});

test('where there are tenants the restriction stays', async () => {
  const { call, workspace } = await createToolBench({}, { restrictToWorkspace: false }, { authMode: 'accounts' });
  await writeFile(join(workspace.root, '../outside.txt'), 'secret');
  for (const path of ['../outside.txt', join(workspace.root, '../outside.txt')])
    assert.is((await call('read_file', { path })).isError, true);
});

test.run();
