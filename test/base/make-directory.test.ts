import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemCode } from '../../lib/base/caught.ts';
import { makeDirectory } from '../../lib/base/make-directory.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';

const test = suite('A directory is made with all that is missing above it');

const codeOf = (path: string) =>
  within(
    2_000,
    makeDirectory(path).then(() => 'made', systemCode),
  );

test('each with the mode, and as often as one likes, also at once', async () => {
  const path = join(tempDirectory(), 'a/b/c');
  await Promise.all([1, 2, 3].map(() => makeDirectory(path, { mode: 0o700 })));
  await makeDirectory(path);
  for (const made of [path, join(path, '..'), join(path, '../..')]) assert.is(statSync(made).mode & 0o777, 0o700);
});

test('a link to a directory is one; a file or a dangling link in the way is refused', async () => {
  const root = tempDirectory();
  symlinkSync(root, join(root, 'link'));
  await makeDirectory(join(root, 'link', 'below'));
  assert.ok(existsSync(join(root, 'below')));
  writeFileSync(join(root, 'file'), '');
  symlinkSync(join(root, 'nowhere'), join(root, 'dangling'));
  for (const name of ['file', 'file/below', 'dangling']) assert.is(await codeOf(join(root, name)), 'EEXIST');
});

test('where the file system takes none, it is refused and does not hang', async () => {
  if (!existsSync('/proc/self')) return console.log('SKIPPED below /proc: there is no /proc here');
  assert.is(await codeOf('/proc/service/data'), 'ENOENT');
});

test.run();
