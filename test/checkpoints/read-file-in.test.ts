import { closeSync, openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readOpen } from '../../lib/checkpoints/read-file-in.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';

const test = suite('A file is read as far as it went when it was looked at');

function opened(content: string | Buffer): { path: string; fd: number } {
  const path = join(tempDirectory(), 'file');
  writeFileSync(path, content);
  return { path, fd: openSync(path, 'r') };
}

test('what it has grown by since is left out', () => {
  const { path, fd } = opened('ten bytes.');
  truncateSync(path, 8 * 1024 ** 3);
  assert.is(readOpen(fd, 10).toString(), 'ten bytes.');
  closeSync(fd);
});

test('of one that became shorter there is what is left', () => {
  const { path, fd } = opened('ten bytes.');
  truncateSync(path, 3);
  assert.is(readOpen(fd, 10).toString(), 'ten');
  truncateSync(path, 0);
  assert.is(readOpen(fd, 10).length, 0);
  closeSync(fd);
});

test('one that did not change is read whole', () => {
  const { path, fd } = opened(Buffer.alloc(3 * 1024 * 1024 + 1, 7));
  assert.ok(readOpen(fd, 3 * 1024 * 1024 + 1).equals(readFileSync(path)));
  assert.is(readOpen(fd, 0).length, 0);
  closeSync(fd);
});

test.run();
