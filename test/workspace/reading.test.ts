import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { WorkspaceFile } from '../../lib/wire/workspace.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { codeOf, openWorkspace } from './open-workspace.ts';

const test = suite('A file is text in UTF-8 or base64, with the media type of its name and content');

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function fileWith(name: string, content: string | Uint8Array, limit?: number): Promise<WorkspaceFile> {
  const base = tempDirectory();
  const workspace = await openWorkspace(base);
  await writeFile(join(workspace.root, name), content);
  return workspace.read(name, limit === undefined ? {} : { limit });
}

test('text', async () => {
  const file = await fileWith('notes.md', '# Grüße\n\n日本語 🙂\n');
  assert.is(file.content, '# Grüße\n\n日本語 🙂\n');
  assert.is(file.encoding, 'utf8');
  assert.is(file.mimeType, 'text/markdown');
  assert.is(file.name, 'notes.md');
  assert.is(file.path, 'notes.md');
  assert.is(file.size, 26);
  assert.is(file.lines, 3);
  assert.is(file.binary, false);
  assert.is(file.truncated, false);
  assert.match(file.modifiedAt, /^\d{4}-\d\d-\d\dT.*Z$/);
});

test('lines are counted as editors count them', async () => {
  for (const [content, lines] of [
    ['', 0],
    ['\n', 1],
    ['a', 1],
    ['a\n', 1],
    ['a\nb', 2],
    ['a\n\nb\n', 3],
  ] as const)
    assert.is((await fileWith('f.txt', content)).lines, lines, JSON.stringify(content));
});

test('media types by name and content', async () => {
  for (const [name, content, type, encoding] of [
    ['a.ts', 'let a = 1;', 'text/typescript', 'utf8'],
    ['a.json', '{}', 'application/json', 'utf8'],
    ['a.svg', '<svg/>', 'image/svg+xml', 'utf8'],
    ['a.html', '<p>', 'text/html', 'utf8'],
    ['Makefile', 'all:', 'text/plain', 'utf8'],
    ['.gitignore', 'dist', 'text/plain', 'utf8'],
    ['a.mp4', 'plain words', 'text/plain', 'utf8'],
    ['a.constructor', 'plain words', 'text/plain', 'utf8'],
    ['a.__proto__', 'plain words', 'text/plain', 'utf8'],
    ['a.png', png, 'image/png', 'base64'],
    ['no-extension', png, 'image/png', 'base64'],
    ['wrong.txt', png, 'image/png', 'base64'],
    ['a.jpg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0]), 'image/jpeg', 'base64'],
    ['a', Buffer.from('GIF89a\0\0'), 'image/gif', 'base64'],
    ['a.bin', Buffer.from('RIFF\0\0\0\0WEBPVP8 '), 'image/webp', 'base64'],
    ['a.pdf', Buffer.from('%PDF-1.7\n\xe2\xe3\0', 'latin1'), 'application/pdf', 'base64'],
    ['a', Buffer.from('PK\x03\x04\0\0'), 'application/zip', 'base64'],
    ['a.jar', Buffer.from('PK\x03\x04\0\0'), 'application/java-archive', 'base64'],
    ['a.unknown', Buffer.from([0, 1, 2]), 'application/octet-stream', 'base64'],
    ['a.txt', Buffer.from([0, 1, 2]), 'application/octet-stream', 'base64'],
  ] as const) {
    const file = await fileWith(name, content);
    assert.equal([file.mimeType, file.encoding], [type, encoding], name);
    assert.is(file.binary, encoding === 'base64');
    assert.is(file.lines === undefined, encoding === 'base64');
  }
});

test('bytes that are not UTF-8, or carry a NUL, are binary', async () => {
  for (const bytes of [
    [0x61, 0],
    [0xff],
    [0xc3, 0x28],
    [0xe2, 0x82],
    [0xed, 0xa0, 0x80],
    [0xf5, 0x80, 0x80, 0x80],
    [0xc0, 0xaf],
  ]) {
    const file = await fileWith('f.txt', Buffer.from(bytes));
    assert.is(file.binary, true, bytes.join());
    assert.equal([...Buffer.from(file.content, 'base64')], bytes);
  }
});

test('a byte order mark stays', async () => {
  const file = await fileWith('f.txt', '\ufeffa');
  assert.is(file.content, '\ufeffa');
  assert.is(file.encoding, 'utf8');
});

test('a file over the limit is cut between two characters', async () => {
  for (const limit of [1, 2, 3, 4, 5, 6, 7]) {
    const file = await fileWith('f.txt', 'é🙂b', limit);
    assert.is(file.content, limit < 2 ? '' : limit < 6 ? 'é' : limit < 7 ? 'é🙂' : 'é🙂b', `${limit}`);
    assert.is(file.truncated, limit < 7);
    assert.is(file.encoding, 'utf8');
    assert.is(file.size, 7);
  }
});

test('the default limit is 2 MB', async () => {
  const limit = 2 * 1024 * 1024;
  const whole = await fileWith('f.txt', 'x'.repeat(limit));
  assert.is(whole.truncated, false);
  const cut = await fileWith('f.txt', 'x'.repeat(limit + 1));
  assert.is(cut.truncated, true);
  assert.is(cut.content.length, limit);
  assert.is(cut.size, limit + 1);
});

test('a sparse file of 4 GB costs no more than the limit', async () => {
  const base = tempDirectory();
  const workspace = await openWorkspace(base);
  await writeFile(join(workspace.root, 'sparse'), '');
  await truncate(join(workspace.root, 'sparse'), 4 * 1024 ** 3);
  const file = await within(5_000, workspace.read('sparse'));
  assert.is(file.size, 4 * 1024 ** 3);
  assert.is(file.truncated, true);
  assert.is(Buffer.from(file.content, 'base64').length, 2 * 1024 * 1024);
  const huge = await within(10_000, workspace.read('sparse', { limit: 100 * 1024 ** 3 }));
  assert.is(Buffer.byteLength(huge.content, 'base64'), 64 * 1024 * 1024);
  assert.is(await codeOf(workspace.readBytes('sparse', { limit: 100 * 1024 ** 3 })), 'payload_too_large');
});

test('FIFOs, sockets and devices are refused at once', async () => {
  const base = tempDirectory();
  const workspace = await openWorkspace(base);
  execFileSync('mkfifo', [join(workspace.root, 'pipe')]);
  await symlink('pipe', join(workspace.root, 'to-pipe'));
  await symlink('/dev/zero', join(workspace.root, 'zero'));
  assert.is(await within(2_000, codeOf(workspace.read('pipe'))), 'invalid_path');
  assert.is(await within(2_000, codeOf(workspace.read('to-pipe'))), 'invalid_path');
  assert.is(await within(2_000, codeOf(workspace.read('zero'))), 'outside_workspace');
  assert.is(await within(2_000, codeOf(workspace.wholeMachine().read('dev/zero'))), 'invalid_path');
});

test('the bytes of a file, or a refusal that names the limit', async () => {
  const base = tempDirectory();
  const workspace = await openWorkspace(base);
  await writeFile(join(workspace.root, 'f'), Buffer.from([0, 255, 1]));
  assert.equal([...(await workspace.readBytes('f'))], [0, 255, 1]);
  assert.is(await codeOf(workspace.readBytes('f', { limit: 2 })), 'payload_too_large');
});

test('no descriptor stays open', async () => {
  const base = tempDirectory();
  const workspace = await openWorkspace(base);
  await writeFile(join(workspace.root, 'f'), 'x');
  const openFiles = () => readdirSync('/proc/self/fd').length;
  const before = openFiles();
  for (let turn = 0; turn < 50; turn++) {
    await workspace.read('f');
    await codeOf(workspace.read('.'));
    await codeOf(workspace.list('f'));
    await codeOf(workspace.write('.', ''));
    await workspace.write(`made/${turn}/f`, 'x');
    await workspace.list('made');
  }
  assert.ok(openFiles() <= before);
});

test('a file that is replaced while it is read is old or new, never a mixture', async () => {
  const base = tempDirectory();
  const workspace = await openWorkspace(base);
  const [a, b] = ['a'.repeat(200_000), 'b'.repeat(200_000)];
  await workspace.write('f', a);
  const writing = (async () => {
    for (let turn = 0; turn < 40; turn++) await workspace.write('f', turn % 2 ? a : b);
  })();
  for (let turn = 0; turn < 100; turn++) {
    const { content } = await workspace.read('f');
    assert.ok(content === a || content === b);
  }
  await writing;
});

test.run();
