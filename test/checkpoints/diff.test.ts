import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../helpers/within.ts';
import { openCheckpointer } from './open-checkpointer.ts';
import { describeTree } from './tree.ts';

const test = suite('A comparison says what changed, within bounds, and touches nothing');

test('from a checkpoint to now: added, changed and deleted files with sizes and unified diffs', async () => {
  const { checkpointer, workspace, session } = openCheckpointer();
  const at = (path: string) => join(workspace, path);
  writeFileSync(at('changed'), 'one\ntwo\nthree\n');
  writeFileSync(at('deleted'), 'gone\n');
  writeFileSync(at('binary'), Buffer.from([1, 0, 2]));
  writeFileSync(at('mode'), 'x');
  writeFileSync(at('same'), 'same');
  const checkpoint = await within(10_000, checkpointer.capture(session, 'x'));
  writeFileSync(at('changed'), 'one\n2\nthree\n');
  rmSync(at('deleted'));
  writeFileSync(at('binary'), Buffer.from([1, 0, 3, 4]));
  chmodSync(at('mode'), 0o755);
  mkdirSync(at('new'));
  writeFileSync(at('new/ü'), 'hello\n');
  symlinkSync('changed', at('link'));
  const tree = describeTree(workspace);
  const diff = await within(10_000, checkpointer.diff(session, checkpoint.id));
  assert.equal(diff, {
    checkpoint,
    against: null,
    added: 2,
    changed: 3,
    deleted: 1,
    truncated: false,
    changes: [
      { path: 'binary', status: 'changed', before: 3, after: 4, omitted: 'binary' },
      {
        path: 'changed',
        status: 'changed',
        before: 14,
        after: 12,
        patch: '--- a/changed\n+++ b/changed\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
      },
      {
        path: 'deleted',
        status: 'deleted',
        before: 5,
        patch: '--- a/deleted\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-gone\n',
      },
      {
        path: 'link',
        status: 'added',
        after: 7,
        patch: '--- /dev/null\n+++ b/link\n@@ -0,0 +1,1 @@\n+changed\n\\ No newline at end of file\n',
      },
      { path: 'mode', status: 'changed', before: 1, after: 1, patch: '--- a/mode\n+++ b/mode\n' },
      {
        path: 'new/ü',
        status: 'added',
        after: 6,
        patch: '--- /dev/null\n+++ "b/new/\\303\\274"\n@@ -0,0 +1,1 @@\n+hello\n',
      },
    ],
  });
  assert.equal(describeTree(workspace), tree);
  await checkpointer.close();
});

test('from one checkpoint to another, independent of the files now', async () => {
  const { checkpointer, workspace, session } = openCheckpointer();
  writeFileSync(join(workspace, 'a'), 'one\n');
  const first = await within(10_000, checkpointer.capture(session, 'first'));
  writeFileSync(join(workspace, 'a'), 'two\n');
  const second = await checkpointer.capture(session, 'second');
  rmSync(join(workspace, 'a'));
  const diff = await checkpointer.diff(session, second.id, first.id);
  assert.equal(diff.against, first);
  assert.is(diff.changes[0]?.patch, '--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-two\n+one\n');
  await checkpointer.close();
});

test('a preview is what the restore then does', async () => {
  const { checkpointer, workspace, session } = openCheckpointer();
  for (const name of ['a', 'b', 'c']) writeFileSync(join(workspace, name), name);
  writeFileSync(join(workspace, '.gitignore'), 'ignored\n');
  const checkpoint = await within(10_000, checkpointer.capture(session, 'x'));
  writeFileSync(join(workspace, 'a'), 'longer');
  rmSync(join(workspace, 'b'));
  writeFileSync(join(workspace, 'd'), 'new');
  writeFileSync(join(workspace, 'ignored'), 'not mentioned');
  const preview = await checkpointer.preview(session, checkpoint.id);
  assert.equal(preview, {
    checkpoint,
    added: 1,
    changed: 1,
    deleted: 1,
    truncated: false,
    changes: [
      { path: 'a', status: 'changed', before: 6, after: 1 },
      { path: 'b', status: 'added', after: 1 },
      { path: 'd', status: 'deleted', before: 3 },
    ],
  });
  await checkpointer.restore(session, checkpoint.id);
  const after = await checkpointer.preview(session, checkpoint.id);
  assert.equal([after.added, after.changed, after.deleted], [0, 0, 0]);
  await checkpointer.close();
});

test('neither a comparison nor a preview leaves anything in the store, and a snapshot afterwards is whole', async () => {
  const { checkpointer, workspace, session, directory } = openCheckpointer();
  writeFileSync(join(workspace, 'file'), 'one');
  const first = await within(10_000, checkpointer.capture(session, 'first'));
  // What git shows, and the stat data, follow when nobody waits.
  await within(10_000, checkpointer.close());
  const again = openCheckpointer({ directory, workspace }).checkpointer;
  const filesIn = () => describeTree(directory).filter((line) => line.startsWith('file'));
  const stored = filesIn();
  for (const text of ['two', 'three', 'four']) {
    writeFileSync(join(workspace, 'file'), text);
    mkdirSync(join(workspace, text));
    writeFileSync(join(workspace, text, 'new'), text);
    assert.is((await within(10_000, again.diff(session, first.id))).changed, 1);
    assert.is((await within(10_000, again.preview(session, first.id))).changed, 1);
  }
  assert.equal(filesIn(), stored);
  const second = await within(10_000, again.capture(session, 'second'));
  await within(10_000, again.close());
  const last = openCheckpointer({ directory, workspace }).checkpointer;
  const tree = describeTree(workspace);
  await within(10_000, last.restore(session, first.id));
  await within(10_000, last.restore(session, second.id));
  assert.equal(describeTree(workspace), tree);
  await last.close();
});

test('large files and long lists are cut; a text that is hard to compare costs a bounded time', async () => {
  const { checkpointer, workspace, session } = openCheckpointer();
  const checkpoint = await within(10_000, checkpointer.capture(session, 'empty'));
  writeFileSync(join(workspace, 'a-large'), 'x\n'.repeat(200_000));
  for (let at = 0; at < 1_100; at++) writeFileSync(join(workspace, `f${at}`), `${at}`);
  const diff = await within(20_000, checkpointer.diff(session, checkpoint.id));
  assert.is(diff.added, 1_101);
  assert.is(diff.truncated, true);
  assert.is(diff.changes.length, 1_000);
  assert.is(diff.changes[0]?.omitted, 'large');
  const noise = (seed: number) => Array.from({ length: 15_000 }, (_, at) => `${(at * seed) % 7919}`).join('\n');
  writeFileSync(join(workspace, 'a-hard'), noise(31));
  const hard = await checkpointer.capture(session, 'hard');
  writeFileSync(join(workspace, 'a-hard'), noise(37));
  const bounded = await within(10_000, checkpointer.diff(session, hard.id));
  assert.is(bounded.changes[0]?.omitted, 'limit');
  await checkpointer.close();
});

test.run();
