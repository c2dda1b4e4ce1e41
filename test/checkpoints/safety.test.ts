import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { openCheckpointer, type RigOptions } from './open-checkpointer.ts';
import { describeTree } from './tree.ts';

const test = suite('A restore loses nothing that the safety snapshot does not hold');

const isRoot = process.getuid?.() === 0;
if (isRoot) console.log('SKIPPED the unreadable file: root reads everything');

function open(options: RigOptions = {}) {
  const rig = openCheckpointer(options);
  const at = (path: string): string => join(rig.workspace, path);
  const write = (path: string, content: string): void => {
    mkdirSync(join(at(path), '..'), { recursive: true });
    writeFileSync(at(path), content);
  };
  const read = (path: string): string => readFileSync(at(path), 'utf8');
  const capture = (label = 'x') => within(10_000, rig.checkpointer.capture(rig.session, label));
  const restore = (id: string) => within(10_000, rig.checkpointer.restore(rig.session, id));
  return { ...rig, at, write, read, capture, restore };
}

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: { code?: string; message?: string }) => `${error.code}: ${error.message}`,
  );

test('a file that is ignored now is not overwritten, and the warning names it', async () => {
  const { write, read, capture, restore, checkpointer } = open();
  write('settings', 'old');
  write('same', 'equal');
  const checkpoint = await capture();
  write('settings', 'precious');
  write('.gitignore', 'settings\nsame\n');
  const { warning, safety } = await restore(checkpoint.id);
  assert.is(read('settings'), 'precious');
  assert.match(warning ?? '', /^Left alone: settings \(/);
  assert.not.match(warning ?? '', 'same');
  assert.ok(safety);
  await checkpointer.close();
});

test('a directory with ignored files stays where the snapshot has a file, and the warning names it', async () => {
  const { write, read, capture, restore, at, checkpointer } = open();
  write('.gitignore', '*.tmp\n');
  write('thing', 'a file');
  const checkpoint = await capture();
  rmSync(at('thing'));
  write('thing/kept.tmp', 'ignored');
  write('thing/new.txt', 'captured');
  const { warning } = await restore(checkpoint.id);
  assert.is(read('thing/kept.tmp'), 'ignored');
  assert.is(existsSync(at('thing/new.txt')), false);
  assert.match(warning ?? '', /^Left alone: thing \(a directory/);
  await checkpointer.close();
});

test('a link in place of a directory never leads a write out of the workspace', async () => {
  for (const ignored of [true, false]) {
    const { write, capture, restore, at, checkpointer } = open();
    const outside = tempDirectory('outside');
    writeFileSync(join(outside, 'victim.txt'), 'untouched');
    write('inner/victim.txt', 'from the snapshot');
    write('inner/deep/other.txt', 'from the snapshot');
    const checkpoint = await capture();
    rmSync(at('inner'), { recursive: true });
    symlinkSync(outside, at('inner'));
    if (ignored) write('.gitignore', 'inner\n');
    const { warning } = await restore(checkpoint.id);
    assert.equal(describeTree(outside).length, 1);
    assert.is(readFileSync(join(outside, 'victim.txt'), 'utf8'), 'untouched');
    assert.is(lstatSync(at('inner')).isSymbolicLink(), ignored);
    if (ignored) assert.match(warning ?? '', 'inner/victim.txt');
    else assert.is(readFileSync(at('inner/victim.txt'), 'utf8'), 'from the snapshot');
    await checkpointer.close();
  }
});

test('with nothing to do, no safety snapshot is kept; with everything blocked, neither', async () => {
  const { write, capture, restore, checkpointer, session } = open();
  write('a', 'one');
  const checkpoint = await capture();
  assert.is((await restore(checkpoint.id)).safety, null);
  write('a', 'two');
  write('b/added', '');
  const second = await capture('second');
  write('.gitignore', 'a\n.gitignore\n');
  const { safety, warning } = await restore(checkpoint.id);
  assert.ok(safety, 'b/added was removed');
  assert.match(warning ?? '', 'a (');
  const again = await restore(checkpoint.id);
  assert.is(again.safety, null);
  assert.match(again.warning ?? '', 'a (');
  const { checkpoints } = await checkpointer.list(session);
  assert.equal(
    checkpoints.map(({ id }) => id),
    [safety.id, second.id, checkpoint.id],
  );
  await checkpointer.close();
});

test("the service's own files are neither captured nor touched, though they lie in the workspace", async () => {
  const workspace = tempDirectory('workspace');
  const data = join(workspace, '.service');
  const { write, read, capture, restore, at, checkpointer } = open({
    workspace,
    directory: join(data, 'checkpoints'),
    ownPaths: [join(data, 'sessions'), join(data, 'tenants/*/sessions'), join(data, 'index.json')],
  });
  const own = ['.service/sessions/ses_1.json', '.service/tenants/acme/sessions/ses_2.json', '.service/index.json'];
  for (const path of own) write(path, 'old');
  for (const path of ['.service/memory.json', '.service/skills/a/SKILL.md', '.service/tenants/acme/workspace/x'])
    write(path, 'old');
  const checkpoint = await capture();
  assert.is(checkpoint.files, 3);
  for (const path of own) write(path, 'new');
  write('.service/sessions/ses_3.json', 'new');
  write('.service/memory.json', 'new');
  await restore(checkpoint.id);
  assert.is(read('.service/memory.json'), 'old');
  for (const path of own) assert.is(read(path), 'new');
  assert.is(read('.service/sessions/ses_3.json'), 'new');
  assert.ok(existsSync(at('.service/checkpoints')));
  await checkpointer.close();
});

test('a workspace inside the own files is refused', async () => {
  const data = tempDirectory('data');
  const { checkpointer, session } = open({ workspace: join(data, 'sessions/x'), ownPaths: [join(data, 'sessions')] });
  assert.match(await codeOf(checkpointer.capture(session, 'x')), /^checkpoints_unavailable: .*belongs to the service/);
  await checkpointer.close();
});

test('more than maxFiles is refused with the reason, quickly and without a trace; ignored files do not count', async () => {
  const { write, capture, checkpointer, session, directory } = open({ maxFiles: 3 });
  for (const name of ['a', 'b', 'c', 'node_modules/d', 'node_modules/e']) write(name, name);
  assert.is((await capture()).files, 3);
  const objects = () => describeTree(directory).filter((line) => line.includes('"objects"/'));
  const before = objects();
  write('f', 'f');
  assert.match(await codeOf(checkpointer.capture(session, 'x')), /^checkpoints_unavailable: .*more than 3 files/);
  assert.equal(objects(), before);
  const list = await checkpointer.list(session);
  assert.is(list.enabled, true);
  assert.match(list.reason ?? '', 'more than 3 files');
  rmSync(join(session.workspace, 'f'));
  await capture();
  assert.is((await checkpointer.list(session)).reason, undefined);
  await checkpointer.close();
});

test('an unreadable file refuses the snapshot and names the file, never an old state', async () => {
  const { write, at, checkpointer, session, capture } = open();
  write('fine', 'x');
  write('locked', 'x');
  await capture();
  write('locked', 'changed');
  chmodSync(at('locked'), 0);
  if (!isRoot) assert.match(await codeOf(checkpointer.capture(session, 'x')), /^checkpoints_unavailable: .*locked/);
  await checkpointer.close();
});

test('pipes, sockets and files over 64 MiB are passed over and never touched', async () => {
  const { write, at, capture, restore, checkpointer, session } = open();
  execFileSync('mkfifo', [at('pipe')]);
  write('a', 'one');
  execFileSync('truncate', ['-s', String(64 * 1024 * 1024 + 1), at('large')]);
  const checkpoint = await capture();
  assert.is(checkpoint.files, 1);
  assert.is(checkpoint.skipped, 1);
  write('a', 'two');
  await restore(checkpoint.id);
  assert.equal(readdirSync(session.workspace).sort(), ['a', 'large', 'pipe']);
  await checkpointer.close();
});

test('nothing in the workspace is executed: hooks, filters, fsmonitor, a linked .git, GIT_ variables', async () => {
  const { write, at, capture, restore, checkpointer, workspace } = open();
  const elsewhere = tempDirectory('elsewhere');
  symlinkSync(elsewhere, at('.git'));
  writeFileSync(join(elsewhere, 'config'), '[core]\n\tfsmonitor = "touch ran"\n\thooksPath = hooks\n');
  write('.gitattributes', '* filter=evil\n');
  write('hooks/post-checkout', '#!/bin/sh\ntouch ran\n');
  const before = process.env.GIT_DIR;
  process.env.GIT_DIR = elsewhere;
  try {
    const checkpoint = await capture();
    write('hooks/x', 'y');
    await restore(checkpoint.id);
  } finally {
    if (before === undefined) delete process.env.GIT_DIR;
    else process.env.GIT_DIR = before;
  }
  assert.equal(readdirSync(elsewhere), ['config']);
  assert.equal(readdirSync(workspace).sort(), ['.git', '.gitattributes', 'hooks']);
  await checkpointer.close();
});

test('where the directory of the checkpoints can not be written, the list says why and captures are refused', async () => {
  const file = join(tempDirectory('blocked'), 'file');
  writeFileSync(file, '');
  const { checkpointer, session } = open({ directory: join(file, 'checkpoints') });
  const list = await checkpointer.list(session);
  assert.is(list.enabled, false);
  assert.match(list.reason ?? '', "can't be written");
  assert.match(await codeOf(checkpointer.capture(session, 'x')), /^checkpoints_unavailable: /);
  await checkpointer.close();
});

test.run();
