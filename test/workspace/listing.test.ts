import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { openWorkspace } from './open-workspace.ts';

const test = suite('A listing shows one directory: directories first, then files, both by name');

test('the entries carry POSIX paths relative to the workspace, sizes and times', async () => {
  const base = tempDirectory();
  const workspace = await openWorkspace(base);
  await mkdir(join(base, 'inside/src/z'), { recursive: true });
  await mkdir(join(base, 'inside/src/a'));
  await writeFile(join(base, 'inside/src/b.ts'), '12345');
  await writeFile(join(base, 'inside/src/.hidden'), '');
  for (const path of ['z', 'a', 'b.ts', '.hidden']) await utimes(join(base, 'inside/src', path), 1_000, 1_000);
  const modifiedAt = '1970-01-01T00:16:40.000Z';
  assert.equal(await workspace.list('src/'), {
    path: 'src',
    entries: [
      { name: 'a', path: 'src/a', type: 'directory', modifiedAt },
      { name: 'z', path: 'src/z', type: 'directory', modifiedAt },
      { name: '.hidden', path: 'src/.hidden', type: 'file', size: 0, modifiedAt },
      { name: 'b.ts', path: 'src/b.ts', type: 'file', size: 5, modifiedAt },
    ],
  });
  const root = await workspace.list();
  assert.is(root.path, '.');
  assert.equal(
    root.entries.map((entry) => [entry.name, entry.path]),
    [['src', 'src']],
  );
});

test('five hundred entries are whole, one more is cut', async () => {
  const base = tempDirectory();
  const workspace = await openWorkspace(base);
  const name = (at: number) => `f${String(at).padStart(4, '0')}`;
  for (let at = 0; at < 499; at++) await writeFile(join(base, 'inside', name(at)), '');
  await mkdir(join(base, 'inside/zzz'));
  const whole = await workspace.list('.');
  assert.is(whole.entries.length, 500);
  assert.is(whole.truncated, undefined);
  assert.is(whole.entries[0]?.name, 'zzz');
  await writeFile(join(base, 'inside', name(499)), '');
  const cut = await workspace.list('.');
  assert.is(cut.entries.length, 500);
  assert.is(cut.truncated, true);
  assert.is(cut.entries.at(-1)?.name, 'f0498');
});

test('a link is shown as what it points to inside, and left out when it leads out or nowhere', async () => {
  const base = tempDirectory();
  const workspace = await openWorkspace(base);
  await mkdir(join(base, 'inside/dir'));
  await writeFile(join(base, 'inside/file'), '123');
  await writeFile(join(base, 'outside'), 'secret');
  for (const [target, name] of [
    ['dir', 'to-dir'],
    ['file', 'to-file'],
    ['../outside', 'out'],
    ['/etc', 'etc'],
    ['missing', 'dangling'],
    ['ring', 'ring'],
  ] as const)
    await symlink(target, join(base, 'inside', name));
  assert.equal(
    (await workspace.list('.')).entries.map(({ name, type, size }) => [name, type, size]),
    [
      ['dir', 'directory', undefined],
      ['to-dir', 'directory', undefined],
      ['file', 'file', 3],
      ['to-file', 'file', 3],
    ],
  );
});

test('FIFOs and sockets are left out, also behind a link, and nothing waits for them', async () => {
  const base = tempDirectory();
  const workspace = await openWorkspace(base);
  execFileSync('mkfifo', [join(base, 'inside/pipe')]);
  await symlink('pipe', join(base, 'inside/to-pipe'));
  await symlink('/dev/zero', join(base, 'inside/zero'));
  await writeFile(join(base, 'inside/file'), '');
  const listing = await within(2_000, workspace.list('.'));
  assert.equal(
    listing.entries.map((entry) => entry.name),
    ['file'],
  );
});

test('a name that is not UTF-8 does not break the listing', async () => {
  const base = tempDirectory();
  const workspace = await openWorkspace(base);
  await writeFile(Buffer.concat([Buffer.from(join(base, 'inside/')), Buffer.from([0xff, 0xfe])]), '');
  await writeFile(join(base, 'inside/fine'), '');
  await chmod(join(base, 'inside/fine'), 0);
  assert.ok((await workspace.list('.')).entries.some((entry) => entry.name === 'fine'));
});

test.run();
