import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually, within } from '../helpers/within.ts';
import { filesWith } from '../store/file-rig.ts';
import { checkRepositories, hasGit, repositoriesIn, runGit } from './native-git.ts';
import { openCheckpointer } from './open-checkpointer.ts';
import { describeTree } from './tree.ts';

const test = suite('What a deleted session alone held goes away, and nothing else');

test('the records of a deleted session go at once, its objects when the service is idle', async () => {
  const { checkpointer, workspace, directory, session } = openCheckpointer({ idleMs: 50 });
  const other = { ...session, id: 'ses_two' };
  writeFileSync(join(workspace, 'only-one'), 'a secret of the first session');
  const gone = await within(
    10_000,
    checkpointer.captureBefore(session, { id: 'msg_1', label: 'Before: say the word' }).taken,
  );
  rmSync(join(workspace, 'only-one'));
  writeFileSync(join(workspace, 'both'), 'kept');
  const kept = await checkpointer.capture(other, 'kept');
  const [repository = ''] = repositoriesIn(directory);
  const told = async () => (await filesWith(join(repository, 'service'), 'say the word')).length;
  assert.ok((await told()) > 0);
  await checkpointer.forget(session);
  assert.equal((await checkpointer.list(session)).checkpoints, []);
  assert.is(await told(), 0, 'what carries the label goes at once');
  const commit = join(repository, 'objects', gone.sha.slice(0, 2), gone.sha.slice(2));
  assert.is(existsSync(commit), false, 'so does the commit, which carries it, too');
  // Commit, tree and blob of the other session stay.
  await eventually(10_000, () => objectsIn(repository) === 3, 'the objects of the deleted session to go');
  checkRepositories(directory);
  if (hasGit) assert.is(runGit(repository, 'log', '--format=%s', '--all'), 'kept\n');

  // What the sweep took is stored again when it is still in the workspace.
  writeFileSync(join(workspace, 'only-one'), 'a secret of the first session');
  await checkpointer.capture(other, 'again');
  rmSync(join(workspace, 'only-one'));
  await checkpointer.restore(other, kept.id);
  checkRepositories(directory);
  await checkpointer.forget(other);
  assert.equal(repositoriesIn(directory), []);
  await checkpointer.close();
});

test('nothing is left of a workspace whose last session goes while another one is still to be collected', async () => {
  const { checkpointer, workspace, directory, session } = openCheckpointer({ idleMs: 20 });
  const other = { ...session, id: 'ses_two' };
  writeFileSync(join(workspace, 'a'), 'content');
  await within(10_000, checkpointer.capture(session, 'one'));
  await checkpointer.capture(other, 'two');
  await checkpointer.forget(session);
  await checkpointer.forget(other);
  assert.equal(repositoriesIn(directory), []);
  // An operation behind any collecting that was planned.
  const elsewhere = { ...session, id: 'ses_three', workspace: tempDirectory('elsewhere') };
  await new Promise((resolve) => setTimeout(resolve, 60));
  await checkpointer.capture(elsewhere, 'elsewhere');
  assert.is(repositoriesIn(directory).length, 1);
  await checkpointer.close();
});

test('why the last snapshot of a workspace was refused is forgotten with its last session', async () => {
  const { checkpointer, workspace, session } = openCheckpointer({ maxFiles: 1 });
  for (const name of ['a', 'b']) writeFileSync(join(workspace, name), '');
  const refused = await within(
    10_000,
    checkpointer.capture(session, 'x').catch((error: Error) => error.message),
  );
  assert.match(String(refused), /more than 1 files/);
  const next = { ...session, id: 'ses_next' };
  assert.match((await checkpointer.list(next)).reason ?? '', /more than 1 files/);
  await checkpointer.forget(session);
  assert.is((await checkpointer.list(next)).reason, undefined);
  await checkpointer.close();
});

test('asking for a checkpoint that there is not makes no repository', async () => {
  const { checkpointer, directory, session } = openCheckpointer();
  for (const ask of [checkpointer.restore, checkpointer.preview, checkpointer.diff]) {
    const answer: Promise<unknown> = ask(session, 'chk_none');
    assert.is(await within(10_000, answer).catch((error: { code: string }) => error.code), 'not_found');
  }
  assert.equal(repositoriesIn(directory), []);
  await checkpointer.close();
});

test('files of a swept session that are still in the workspace are stored anew', async () => {
  const { checkpointer, workspace, directory, session } = openCheckpointer({ idleMs: 10 });
  const [one, two] = [
    { ...session, id: 'ses_1' },
    { ...session, id: 'ses_2' },
  ];
  await within(10_000, checkpointer.capture(two, 'empty'));
  writeFileSync(join(workspace, 'a'), 'content');
  // Old enough for its stat data to be trusted.
  await new Promise((resolve) => setTimeout(resolve, 1_600));
  await checkpointer.capture(one, 'with a');
  const before = (await checkpointer.list(two)).usage?.bytes ?? 0;
  await checkpointer.forget(one);
  await eventually(10_000, async () => ((await checkpointer.list(two)).usage?.bytes ?? 0) < before, 'the sweep');
  const again = await checkpointer.capture(two, 'with a');
  rmSync(join(workspace, 'a'));
  await checkpointer.restore(two, again.id);
  await checkpointer.close();
  checkRepositories(directory);
  assert.match(describeTree(workspace).join(), '"a"');
});

test('a pack that is mostly garbage is rewritten, and what stays in it can still be restored', async () => {
  const { checkpointer, workspace, directory, session } = openCheckpointer({ idleMs: 10 });
  const [one, two] = [
    { ...session, id: 'ses_1' },
    { ...session, id: 'ses_2' },
  ];
  for (let at = 0; at < 300; at++) {
    mkdirSync(join(workspace, `d${at % 3}`), { recursive: true });
    writeFileSync(join(workspace, `d${at % 3}/f${at}`), `${at} `.repeat(500));
  }
  await within(20_000, checkpointer.capture(one, 'all'));
  rmSync(join(workspace, 'd0'), { recursive: true });
  rmSync(join(workspace, 'd1'), { recursive: true });
  const kept = await checkpointer.capture(two, 'a third');
  const before = (await checkpointer.list(two)).usage?.bytes ?? 0;
  await checkpointer.forget(one);
  await eventually(10_000, async () => ((await checkpointer.list(two)).usage?.bytes ?? 0) < before / 2, 'the sweep');
  checkRepositories(directory);
  const tree = describeTree(workspace);
  rmSync(join(workspace, 'd2'), { recursive: true });
  await within(20_000, checkpointer.restore(two, kept.id));
  assert.equal(describeTree(workspace), tree);
  await checkpointer.close();
  checkRepositories(directory);
});

test('a crash between a commit and its record leaves nothing that a sweep could break', async () => {
  const first = openCheckpointer({ idleMs: 10 });
  writeFileSync(join(first.workspace, 'a'), 'one');
  await within(10_000, first.checkpointer.capture(first.session, 'recorded'));
  await first.checkpointer.capture({ ...first.session, id: 'ses_lost' }, 'the only one');
  await first.checkpointer.capture(first.session, 'lost');
  await first.checkpointer.close();
  const [repository = ''] = repositoriesIn(first.directory);
  const path = join(repository, 'service/index.json');
  const recent = join(repository, 'service/recent.jsonl');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), sweep: true }));
  writeFileSync(recent, `${readFileSync(recent, 'utf8').split('\n')[0]}\n`);

  const second = openCheckpointer({ idleMs: 10, directory: first.directory, workspace: first.workspace });
  await within(10_000, second.checkpointer.capture(second.session, 'next'));
  await second.checkpointer.list(second.session);
  const swept = () => JSON.parse(readFileSync(path, 'utf8')).sweep === false;
  await eventually(10_000, swept, 'the sweep that the index asks for');
  await second.checkpointer.close();
  checkRepositories(first.directory);
  if (hasGit) assert.is(runGit(repository, 'log', '--all', '--format=%s'), 'next\nrecorded\n');
});

test('a disk that refuses a write fails that capture with the reason, and the next one is whole', async () => {
  const { checkpointer, workspace, directory, session, logged } = openCheckpointer();
  writeFileSync(join(workspace, 'a'), 'one');
  const first = await within(10_000, checkpointer.capture(session, 'first'));
  const [repository = ''] = repositoriesIn(directory);
  const extras = join(repository, 'service/extras');
  rmSync(extras, { recursive: true });
  writeFileSync(extras, 'in the way');
  writeFileSync(join(workspace, 'a'), 'two');
  const refused = await checkpointer.capture(session, 'refused').catch((error: Error) => error.message);
  assert.match(String(refused), /could not be read or written \(E[A-Z]+\)/);
  assert.not.match(String(refused), directory);
  assert.match(logged.join(), /Error: E[A-Z]+: /);
  rmSync(extras);
  const second = await checkpointer.capture(session, 'second');
  assert.equal((await checkpointer.list(session)).checkpoints, [second, first]);
  await checkpointer.restore(session, first.id);
  assert.is(readFileSync(join(workspace, 'a'), 'utf8'), 'one');
  await checkpointer.close();
  checkRepositories(directory);
});

test('a damaged index is a reason, and is not overwritten', async () => {
  const { checkpointer, workspace, directory, session } = openCheckpointer();
  writeFileSync(join(workspace, 'a'), 'one');
  await within(10_000, checkpointer.capture(session, 'x'));
  await checkpointer.close();
  const [repository = ''] = repositoriesIn(directory);
  const path = join(repository, 'service/index.json');
  writeFileSync(path, '{"version":1,"rec');
  const again = openCheckpointer({ directory, workspace });
  const list = await again.checkpointer.list(session);
  assert.is(list.enabled, false);
  assert.match(list.reason ?? '', 'damaged');
  const refused = await again.checkpointer.capture(session, 'y').catch((error: { code: string }) => error.code);
  assert.is(refused, 'checkpoints_unavailable');
  assert.is(readFileSync(path, 'utf8'), '{"version":1,"rec');
  await again.checkpointer.close();
});

test.run();

/** How many files hold objects; undefined when the sweep takes a folder away under this look. */
function objectsIn(repository: string): number | undefined {
  try {
    const entries = readdirSync(join(repository, 'objects'), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).length;
  } catch {
    return undefined;
  }
}
