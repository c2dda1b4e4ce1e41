import { existsSync, promises as fs, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import git from 'isomorphic-git';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commitContent } from '../../lib/checkpoints/git-commit.ts';
import { objectId } from '../../lib/checkpoints/object-batch.ts';
import { createOperations } from '../../lib/checkpoints/operations.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually, within } from '../helpers/within.ts';
import { checkRepositories, hasGit, repositoriesIn, runGit } from './native-git.ts';
import { openCheckpointer } from './open-checkpointer.ts';

const test = suite('Commits and branches follow from the records, after them');

test('a commit has the id that git gives it', async () => {
  const at = { fs: { promises: fs }, dir: tempDirectory('commit'), gitdir: tempDirectory('commit') };
  await git.init({ ...at, bare: true });
  const tree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
  const person = { name: 'Agent Session Service', email: 'checkpoints@service.invalid', timezoneOffset: 0 };
  for (const label of ['Before: hello', ' \u0000\n ', 'ünïcode ✓  twice', 'x'.repeat(200)]) {
    const createdAt = '2026-02-03T04:05:06.789Z';
    const record = { id: 'chk_1', sessionId: 'ses_1', label, createdAt, files: 0, tree };
    for (const parent of [undefined, 'a'.repeat(40)]) {
      const stamped = { ...person, timestamp: Math.floor(Date.parse(createdAt) / 1000) };
      const subject = label.replace(/[\p{Cc} ]+/gu, ' ').trim() || 'Checkpoint';
      const commit = {
        tree,
        parent: parent ? [parent] : [],
        author: stamped,
        committer: stamped,
        message: `${subject}\n\nCheckpoint: chk_1\n`,
      };
      assert.is(objectId('commit', commitContent(record, parent)), await git.writeCommit({ ...at, commit }));
    }
  }
});

test('git shows them as soon as nothing else is to do', async () => {
  if (!hasGit) return;
  const { checkpointer, workspace, directory, session } = openCheckpointer();
  writeFileSync(join(workspace, 'a'), 'one');
  for (const label of ['first', 'second']) await within(10_000, checkpointer.capture(session, label));
  const [repository = ''] = repositoriesIn(directory);
  await eventually(10_000, () => existsSync(join(repository, 'refs/heads/ses_one')), 'the branch');
  await eventually(10_000, () => existsSync(join(repository, 'HEAD')), 'HEAD');
  await checkpointer.close();
  assert.is(runGit(repository, 'log', '--format=%s'), 'second\nfirst\n');
  checkRepositories(directory);
});

test('what a crash kept from git is there after the next start, and the records were there all the time', async () => {
  if (!hasGit) return;
  const first = openCheckpointer();
  const { workspace, directory, session } = first;
  writeFileSync(join(workspace, 'a'), 'one');
  const taken = [];
  for (let n = 0; n < 3; n++) taken.push(await within(10_000, first.checkpointer.capture(session, `n ${n}`)));
  await first.checkpointer.close();
  const [repository = ''] = repositoriesIn(directory);
  // As if the power had gone before the disk had them: no branch, one commit missing, one empty.
  rmSync(join(repository, 'HEAD'));
  rmSync(join(repository, 'refs'), { recursive: true });
  const pathOf = (sha = '') => join(repository, 'objects', sha.slice(0, 2), sha.slice(2));
  rmSync(pathOf(taken[1]?.sha));
  const last = pathOf(taken[2]?.sha);
  rmSync(last);
  writeFileSync(last, '');

  const second = openCheckpointer({ directory, workspace });
  assert.equal((await second.checkpointer.list(session)).checkpoints, taken.toReversed());
  writeFileSync(join(workspace, 'a'), 'two');
  await within(10_000, second.checkpointer.capture(session, 'after'));
  await second.checkpointer.close();
  assert.is(runGit(repository, 'log', '--format=%s'), 'after\nn 2\nn 1\nn 0\n');
  checkRepositories(directory);
});

test('a repository that git cannot be shown keeps no other from its checkpoints, and is made up for when it is used next', async () => {
  const operations = createOperations({ maxFiles: 100, exclude: [], ownPaths: [], durable: false }, () => undefined);
  const targets = Array.from({ length: 6 }, (_, at) => {
    const repository = join(tempDirectory('repositories'), `${at}.git`);
    return { repository, workspace: tempDirectory('workspace'), tenantId: 'default' };
  });
  const [broken, ...others] = targets;
  assert.ok(broken);
  const capture = (target: typeof broken, id: string) =>
    operations.capture(target, [{ id, label: id, sessionId: 'ses_one', at: 0 }]);
  await capture(broken, 'chk_first');
  const refs = join(broken.repository, 'refs');
  writeFileSync(refs, 'in the way of the directory');
  // Only a few repositories stay open: those that were not used for longest are closed, which writes what was put off.
  for (const other of others) assert.is((await capture(other, 'chk_other')).length, 1);
  const told = await operations.settle().then(
    () => 'nothing',
    (error: Error) => error.message,
  );
  assert.match(told, 'ENOTDIR');
  assert.not(operations.unsettled());
  for (const { repository } of others) assert.ok(existsSync(join(repository, 'refs/heads/ses_one')));
  unlinkSync(refs);
  await capture(broken, 'chk_second');
  await operations.settle();
  assert.is((await git.log({ fs: { promises: fs }, gitdir: broken.repository, ref: 'ses_one' })).length, 2);
});

test('many sessions at once get a branch each, and a deleted one loses it at once', async () => {
  if (!hasGit) return;
  const { checkpointer, workspace, directory, session } = openCheckpointer();
  writeFileSync(join(workspace, 'a'), 'one');
  const sessions = Array.from({ length: 40 }, (_, at) => ({ ...session, id: `ses_${at}` }));
  await within(20_000, Promise.all(sessions.map((each) => checkpointer.capture(each, `of ${each.id}`))));
  await checkpointer.forget({ ...session, id: 'ses_7' });
  const [repository = ''] = repositoriesIn(directory);
  const branches = runGit(repository, 'branch', '--format=%(refname:short)').trim().split('\n');
  assert.is(branches.length, 39);
  assert.not(branches.includes('ses_7'));
  assert.not.match(runGit(repository, 'log', '--all', '--format=%s'), /of ses_7$/m);
  await checkpointer.close();
  checkRepositories(directory);
});

test.run();
