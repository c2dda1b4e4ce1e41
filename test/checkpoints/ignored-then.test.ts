import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../helpers/within.ts';
import { openCheckpointer } from './open-checkpointer.ts';

const test = suite('A restore removes nothing that was ignored when the snapshot was taken');

function open() {
  const rig = openCheckpointer();
  const at = (path: string): string => join(rig.workspace, path);
  const write = (path: string, content: string): void => {
    mkdirSync(join(at(path), '..'), { recursive: true });
    writeFileSync(at(path), content);
  };
  const read = (path: string): string => readFileSync(at(path), 'utf8');
  const capture = () => within(10_000, rig.checkpointer.capture(rig.session, 'x'));
  const restore = (id: string) => within(10_000, rig.checkpointer.restore(rig.session, id));
  return { ...rig, at, write, read, capture, restore };
}

test('a file that was ignored then survives, though nothing ignores it now', async () => {
  const { write, read, capture, restore, at, checkpointer } = open();
  write('.gitignore', 'secret\nprivate/\n');
  write('secret', 'mine');
  write('private/key', 'mine too');
  const checkpoint = await capture();
  rmSync(at('.gitignore'));
  const { warning } = await restore(checkpoint.id);
  assert.is(read('secret'), 'mine');
  assert.is(read('private/key'), 'mine too');
  assert.is(read('.gitignore'), 'secret\nprivate/\n');
  assert.is(warning, null);
  await checkpointer.close();
});

test('so does one that was ignored by a file that ignored itself, as virtual environments have it', async () => {
  const { write, read, capture, restore, at, checkpointer, session } = open();
  write('env/.gitignore', '*\n');
  write('env/lib/module.py', 'mine');
  write('source.py', 'one');
  const checkpoint = await capture();
  rmSync(at('env/.gitignore'));
  write('source.py', 'two');
  write('later.py', 'goes');
  const preview = await checkpointer.preview(session, checkpoint.id);
  assert.equal(
    preview.changes.map(({ path, status }) => `${path} ${status}`),
    ['later.py deleted', 'source.py changed'],
  );
  await restore(checkpoint.id);
  assert.is(read('env/lib/module.py'), 'mine');
  assert.is(read('source.py'), 'one');
  assert.is(existsSync(at('later.py')), false);
  await checkpointer.close();
});

test('also after a restart, and when nothing but such a file is in the directory', async () => {
  const first = open();
  first.write('env/.gitignore', '*\n');
  first.write('env/module.py', 'mine');
  const checkpoint = await first.capture();
  await first.checkpointer.close();
  rmSync(first.at('env/.gitignore'));
  const { checkpointer, session } = openCheckpointer(first);
  await within(10_000, checkpointer.restore(session, checkpoint.id));
  assert.is(first.read('env/module.py'), 'mine');
  await checkpointer.close();
});

test.run();
