import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually, within } from '../helpers/within.ts';
import { checkRepositories, hasGit, repositoriesIn, runGit } from './native-git.ts';
import { openCheckpointer, type Rig } from './open-checkpointer.ts';

const test = suite('What a crash leaves half-written in a repository goes after the next start, used or not');

/** A repository with one checkpoint, closed. */
async function closedRepository(): Promise<Rig & { repository: string }> {
  const rig = openCheckpointer();
  writeFileSync(join(rig.workspace, 'a'), 'one');
  await within(10_000, rig.checkpointer.capture(rig.session, 'kept'));
  await rig.checkpointer.close();
  const [repository = ''] = repositoriesIn(rig.directory);
  return { ...rig, repository };
}

function temporariesIn(repository: string): string[] {
  const all = readdirSync(repository, { recursive: true, encoding: 'utf8' });
  return all.filter((path) => path.endsWith('.tmp') || path.startsWith('incoming/'));
}

test('everything that is being written lies in one place, and nothing of it stays after a clean end', async () => {
  const { repository } = await closedRepository();
  assert.equal(temporariesIn(repository), []);
});

test('it goes without the repository being used, in the order of the operations', async () => {
  const { repository, directory, workspace, session } = await closedRepository();
  mkdirSync(join(repository, 'incoming'), { recursive: true });
  for (const name of ['pack', 'pack.idx', 'replacing', 'ab'.repeat(20)])
    writeFileSync(join(repository, 'incoming', name), 'half of it');
  const { checkpointer } = openCheckpointer({ directory, workspace });
  const taken = checkpointer
    .capture({ ...session, workspace: join(workspace, '..') }, 'elsewhere')
    .catch(() => undefined);
  await within(10_000, checkpointer.tidy());
  assert.equal(temporariesIn(repository), []);
  await taken;
  assert.is((await checkpointer.list(session)).checkpoints.length, 1);
  await checkpointer.close();
  checkRepositories(directory);
});

test('where nothing was left no worker is started', async () => {
  const { directory, workspace } = await closedRepository();
  const workerUrl = new URL('file:///there/is/no/such/worker.js');
  const { checkpointer, logged } = openCheckpointer({ directory, workspace, workerUrl });
  await within(10_000, checkpointer.tidy());
  await checkpointer.close();
  assert.equal(logged, []);
});

test('a branch that is none of ours does not keep the objects of deleted sessions alive', async () => {
  const { repository, directory, workspace, session } = await closedRepository();
  const foreign = join(repository, 'refs/heads/left.behind');
  writeFileSync(foreign, `${'0'.repeat(39)}1\n`);
  const { checkpointer, logged } = openCheckpointer({ directory, workspace, idleMs: 10 });
  writeFileSync(join(workspace, 'b'), 'two');
  await within(10_000, checkpointer.capture({ ...session, id: 'ses_gone' }, 'gone'));
  await checkpointer.forget({ ...session, id: 'ses_gone' });
  await eventually(10_000, () => !existsSync(foreign), 'the foreign branch to go');
  await checkpointer.close();
  assert.equal(logged, []);
  checkRepositories(directory);
  if (hasGit) assert.is(runGit(repository, 'log', '--format=%s', '--all'), 'kept\n');
});

test.run();
