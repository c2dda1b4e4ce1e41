import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../helpers/within.ts';
import { openCheckpointer } from './open-checkpointer.ts';

const test = suite('What is too large for a snapshot is left alone by a restore');

function open() {
  const rig = openCheckpointer();
  const at = (path: string): string => join(rig.workspace, path);
  const capture = () => within(10_000, rig.checkpointer.capture(rig.session, 'x'));
  const restore = (id: string) => within(10_000, rig.checkpointer.restore(rig.session, id));
  return { ...rig, at, capture, restore };
}

test('a file that was over 64 MiB when the snapshot was taken is left alone, whatever its size is now', async () => {
  const { at, capture, restore, checkpointer, workspace } = open();
  execFileSync('truncate', ['-s', String(64 * 1024 * 1024 + 1), at('large')]);
  const checkpoint = await capture();
  writeFileSync(at('large'), 'cut down');
  writeFileSync(at('new'), 'goes');
  const { warning } = await restore(checkpoint.id);
  assert.is(readFileSync(at('large'), 'utf8'), 'cut down');
  assert.is(warning, null);
  assert.equal(readdirSync(workspace), ['large']);
  await checkpointer.close();
});

test('it counts towards checkpoints.maxFiles: the list of what was left out is bounded, too', async () => {
  const rig = openCheckpointer({ maxFiles: 2 });
  for (const name of ['a', 'b', 'c'])
    execFileSync('truncate', ['-s', String(64 * 1024 * 1024 + 1), join(rig.workspace, name)]);
  const refused = await within(
    10_000,
    rig.checkpointer.capture(rig.session, 'x').catch((error: Error) => error.message),
  );
  assert.match(String(refused), /more than 2 files/);
  await rig.checkpointer.close();
});

test('an ignore file that is too large to be read for a snapshot does not count for a restore either', async () => {
  const { at, capture, restore, checkpointer } = open();
  writeFileSync(at('.gitignore'), `later\n${'# filler\n'.repeat(150_000)}`);
  const checkpoint = await capture();
  writeFileSync(at('later'), 'made after the snapshot');
  await restore(checkpoint.id);
  assert.is(existsSync(at('later')), false);
  await checkpointer.close();
});

test.run();
