import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rememberFiles } from '../../lib/base/remember-files.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';

const remember = suite('What is made from files is remembered until they change');

const settle = () => new Promise((resolve) => setTimeout(resolve, 80));

function countedReads(paths: (key: string) => string[]) {
  let made = 0;
  const read = rememberFiles(async (key) => ({ value: ++made, paths: paths(key) }));
  return read;
}

remember('once made, it is not made again while nothing changes', async () => {
  const directory = tempDirectory('remember');
  const file = join(directory, 'a.md');
  writeFileSync(file, 'one');
  await settle();
  const read = countedReads(() => [file, join(directory, 'missing.md')]);
  assert.equal([await read('x'), await read('x'), await read('x')], [1, 1, 1]);
});

remember('any change is seen: content, a file that appears, is replaced by an older one, or goes', async () => {
  const directory = tempDirectory('remember');
  const file = join(directory, 'a.md');
  const other = join(directory, 'b.md');
  writeFileSync(file, 'one');
  await settle();
  const read = countedReads(() => [file, other]);
  let last = await read('x');
  const changes = [
    () => writeFileSync(file, 'two'),
    () => writeFileSync(other, 'there'),
    () => {
      const old = join(directory, 'old.md');
      writeFileSync(old, 'two');
      utimesSync(old, new Date(0), new Date(0));
      renameSync(old, file);
    },
    () => rmSync(other),
    () => {
      rmSync(file);
      mkdirSync(file);
    },
  ];
  for (const change of changes) {
    change();
    assert.ok((await read('x')) > last, String(change));
    await settle();
    last = await read('x');
    assert.is(await read('x'), last);
  }
});

remember('a file that was just written is not trusted yet', async () => {
  const file = join(tempDirectory('remember'), 'a.md');
  const read = countedReads(() => [file]);
  writeFileSync(file, 'one');
  assert.is.not(await read('x'), await read('x'));
});

remember('a failure is not remembered', async () => {
  let fail = true;
  const read = rememberFiles(async () => {
    if (fail) throw new Error('not now');
    return { value: 'ok', paths: [] };
  });
  await read('x').then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.message, 'not now'),
  );
  fail = false;
  assert.is(await read('x'), 'ok');
});

remember.run();
