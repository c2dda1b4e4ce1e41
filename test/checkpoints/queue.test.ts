import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { checkRepositories, repositoriesIn } from './native-git.ts';
import { openCheckpointer } from './open-checkpointer.ts';

const test = suite('Checkpoint operations run one after another and never harm the host');

const reasonOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: Error) => error.message,
  );

test('20 parallel captures of 20 sessions in one directory all succeed', async () => {
  const { checkpointer, workspace, directory, session } = openCheckpointer();
  writeFileSync(join(workspace, 'a'), 'a');
  const sessions = Array.from({ length: 20 }, (_, at) => ({ ...session, id: `ses_${at}` }));
  const taken = await within(20_000, Promise.all(sessions.map((each) => checkpointer.capture(each, `of ${each.id}`))));
  assert.is(new Set(taken.map(({ sha }) => sha)).size, 20);
  for (const [at, each] of sessions.entries()) assert.equal((await checkpointer.list(each)).checkpoints, [taken[at]]);
  await checkpointer.close();
  checkRepositories(directory);
});

test('captures that wait are taken together, but never across another operation', async () => {
  const { checkpointer, workspace, session } = openCheckpointer();
  const other = { ...session, id: 'ses_two' };
  writeFileSync(join(workspace, 'a'), 'one');
  const first = await within(10_000, checkpointer.capture(session, 'first'));
  writeFileSync(join(workspace, 'a'), 'two');
  const [before, , after, last] = await within(
    10_000,
    Promise.all([
      checkpointer.capture(session, 'before'),
      checkpointer.restore(session, first.id),
      checkpointer.capture(session, 'after'),
      checkpointer.capture(other, 'last'),
    ]),
  );
  assert.is((await checkpointer.diff(session, before.id, after.id)).changes.length, 1);
  assert.is((await checkpointer.diff(session, after.id)).changes.length, 0);
  const { checkpoints } = await checkpointer.list(session);
  assert.equal(
    checkpoints.map(({ label }) => label),
    ['after', 'Before restoring "first"', 'before', 'first'],
  );
  assert.equal((await checkpointer.list(other)).checkpoints, [last]);
  await checkpointer.close();
});

test('the captures before messages gather; a list, a restore or a hurry take them at once, and before what follows', async () => {
  const clock = createFakeClock();
  const { checkpointer, workspace, session } = openCheckpointer({ clock });
  writeFileSync(join(workspace, 'a'), 'one');
  let taken = 0;
  const before = (id: string) => {
    const checkpoint = checkpointer.captureBefore(session, { id, label: id });
    checkpoint.taken.then(() => (taken += 1));
    return checkpoint;
  };
  before('msg_1');
  const second = before('msg_2');
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.is(taken, 0);
  second.hurry();
  const one = await within(10_000, second.taken);
  assert.is(taken, 2);

  before('msg_3');
  assert.is((await within(10_000, checkpointer.list(session))).checkpoints.length, 3);
  writeFileSync(join(workspace, 'a'), 'two');
  before('msg_4');
  assert.is((await within(10_000, checkpointer.restore(session, one.id))).warning, null);
  const fourth = await checkpointer.ofMessage(session, 'msg_4');
  assert.is((await checkpointer.diff(session, fourth?.id ?? '')).changes.length, 1);

  const fifth = before('msg_5');
  await clock.advance(20);
  await within(10_000, fifth.taken);
  await checkpointer.close();
});

test('a capture that still gathers when the service stops is taken', async () => {
  const { checkpointer, workspace, directory, session } = openCheckpointer();
  const { taken } = checkpointer.captureBefore(session, { id: 'msg_1', label: 'last' });
  await within(10_000, checkpointer.close());
  const again = openCheckpointer({ workspace, directory });
  assert.equal((await again.checkpointer.list(session)).checkpoints, [await taken]);
  await again.checkpointer.close();
});

test('a thousand captures at once are all there, in the order of their calls', async () => {
  const { checkpointer, workspace, directory, session } = openCheckpointer({ endWaitMs: 60_000 });
  writeFileSync(join(workspace, 'a'), 'a');
  const taken = await within(
    60_000,
    Promise.all(Array.from({ length: 1_000 }, (_, at) => checkpointer.capture(session, `n ${at}`))),
  );
  assert.equal((await checkpointer.list(session)).checkpoints, taken.toReversed());
  writeFileSync(join(workspace, 'a'), 'b');
  assert.is((await checkpointer.restore(session, taken[500]?.id ?? '')).warning, null);
  await checkpointer.close();
  checkRepositories(directory);
});

test('a stop that does not wait for the worker loses none of them; what git shows follows after the next start', async () => {
  const first = openCheckpointer({ endWaitMs: 0, durability: 'full' });
  const { workspace, directory, session } = first;
  writeFileSync(join(workspace, 'a'), 'a');
  const captures = Array.from({ length: 300 }, (_, at) => first.checkpointer.capture(session, `n ${at}`));
  const taken = await within(30_000, Promise.all(captures));
  await first.checkpointer.close();
  const [repository = ''] = repositoriesIn(directory);
  assert.not(existsSync(join(repository, 'HEAD')), 'the worker was ended before it had written what git shows');

  const second = openCheckpointer({ workspace, directory, endWaitMs: 60_000 });
  assert.equal((await second.checkpointer.list(session)).checkpoints, taken.toReversed());
  writeFileSync(join(workspace, 'a'), 'b');
  const { warning } = await within(10_000, second.checkpointer.restore(session, taken[150]?.id ?? ''));
  assert.is(warning, null);
  assert.is(readFileSync(join(workspace, 'a'), 'utf8'), 'a');
  await second.checkpointer.close();
  assert.ok(existsSync(join(repository, 'HEAD')));
  checkRepositories(directory);
});

test('list, ofMessage and restore wait for a capture in flight', async () => {
  const { checkpointer, workspace, session } = openCheckpointer();
  writeFileSync(join(workspace, 'a'), 'one');
  const capture = checkpointer.captureBefore(session, { id: 'msg_1', label: 'x' }).taken;
  const list = checkpointer.list(session);
  const linked = checkpointer.ofMessage(session, 'msg_1');
  const checkpoint = await within(10_000, capture);
  assert.equal((await list).checkpoints, [checkpoint]);
  assert.equal(await linked, checkpoint);
  assert.is(await checkpointer.ofMessage(session, 'msg_2'), undefined);
  assert.is(await checkpointer.ofMessage({ ...session, id: 'ses_other' }, 'msg_1'), undefined);
  await checkpointer.close();
});

test('tenants that share a directory have repositories of their own; a linked path is the same workspace', async () => {
  const { checkpointer, workspace, directory, session } = openCheckpointer();
  writeFileSync(join(workspace, 'a'), 'a');
  const linked = join(tempDirectory('link'), 'here');
  symlinkSync(workspace, linked);
  const other = { ...session, tenantId: 'acme' };
  const [mine, theirs, same] = await within(
    10_000,
    Promise.all([
      checkpointer.capture(session, 'mine'),
      checkpointer.capture(other, 'theirs'),
      checkpointer.capture({ ...session, workspace: linked }, 'same'),
    ]),
  );
  assert.is(repositoriesIn(directory).length, 2);
  assert.equal((await checkpointer.list(session)).checkpoints, [same, mine]);
  assert.equal((await checkpointer.list(other)).checkpoints, [theirs]);
  assert.match(await reasonOf(checkpointer.restore(session, theirs.id)), 'no such checkpoint');
  await checkpointer.close();
});

test('labels are cut to 200 characters, whole ones', async () => {
  const { checkpointer, session } = openCheckpointer();
  const { label } = await within(10_000, checkpointer.capture(session, '🦆'.repeat(300)));
  assert.is(label, '🦆'.repeat(200));
  await checkpointer.close();
});

test('a missing workspace is refused with a reason, and works again when it is back', async () => {
  const { checkpointer, workspace, session } = openCheckpointer();
  rmSync(workspace, { recursive: true });
  assert.match(await reasonOf(within(10_000, checkpointer.capture(session, 'x'))), "can't be opened (ENOENT)");
  mkdirSync(workspace);
  await checkpointer.capture(session, 'x');
  await checkpointer.close();
});

test('a restart finds the records, and the stat data of before hide no change', async () => {
  const first = openCheckpointer();
  for (const name of ['a', 'b', 'c']) writeFileSync(join(first.workspace, name), name);
  const checkpoint = await within(10_000, first.checkpointer.capture(first.session, 'x'));
  await first.checkpointer.close();
  writeFileSync(join(first.workspace, 'b'), 'B');
  const second = openCheckpointer({ directory: first.directory, workspace: first.workspace });
  assert.equal((await second.checkpointer.list(second.session)).checkpoints, [checkpoint]);
  const changed = await within(10_000, second.checkpointer.capture(second.session, 'y'));
  const b = () => readFileSync(join(first.workspace, 'b'), 'utf8');
  await second.checkpointer.restore(second.session, checkpoint.id);
  assert.is(b(), 'b');
  await second.checkpointer.restore(second.session, changed.id);
  assert.is(b(), 'B');
  await second.checkpointer.close();
  checkRepositories(first.directory);
});

test.run();
