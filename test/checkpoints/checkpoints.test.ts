import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../helpers/within.ts';
import { openCheckpointer } from './open-checkpointer.ts';

const test = suite('A checkpoint brings the files of a workspace back');

test('edits, additions and deletions are undone, and unchanged files keep mtime and inode', async () => {
  const { checkpointer, workspace, session } = openCheckpointer();
  writeFileSync(join(workspace, 'edited.txt'), 'one');
  writeFileSync(join(workspace, 'deleted.txt'), 'two');
  writeFileSync(join(workspace, 'same.txt'), 'three');
  const before = statSync(join(workspace, 'same.txt'));
  const checkpoint = await within(
    10_000,
    checkpointer.captureBefore(session, { id: 'msg_1', label: 'Before: edit' }).taken,
  );
  assert.is(checkpoint.files, 3);
  assert.is(checkpoint.messageId, 'msg_1');

  writeFileSync(join(workspace, 'edited.txt'), 'changed');
  rmSync(join(workspace, 'deleted.txt'));
  mkdirSync(join(workspace, 'new'));
  writeFileSync(join(workspace, 'new/added.txt'), 'four');
  const { restored, safety, warning } = await within(10_000, checkpointer.restore(session, checkpoint.id));
  assert.equal(restored, checkpoint);
  assert.is(safety?.label, 'Before restoring "Before: edit"');
  assert.is(warning, null);
  assert.equal(readdirSync(workspace).sort(), ['deleted.txt', 'edited.txt', 'same.txt']);
  assert.is(readFileSync(join(workspace, 'edited.txt'), 'utf8'), 'one');
  assert.is(readFileSync(join(workspace, 'deleted.txt'), 'utf8'), 'two');
  const after = statSync(join(workspace, 'same.txt'));
  assert.is(after.mtimeMs, before.mtimeMs);
  assert.is(after.ino, before.ino);

  const list = await checkpointer.list(session);
  assert.is(list.enabled, true);
  assert.equal(
    list.checkpoints.map(({ id }) => id),
    [safety?.id, checkpoint.id],
  );
  await checkpointer.close();
});

test.run();
