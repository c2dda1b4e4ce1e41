import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { joinRecent, parseIndex, type RecordIndex, recentLine } from '../../lib/checkpoints/record-index.ts';
import { within } from '../helpers/within.ts';
import { repositoriesIn } from './native-git.ts';
import { openCheckpointer } from './open-checkpointer.ts';

const recent = suite('A checkpoint adds a line to the index and does not write the list again');

recent('checkpoints of an unchanged workspace share everything but their commit, and restore alike', async () => {
  const { checkpointer, workspace, directory, session } = openCheckpointer();
  writeFileSync(join(workspace, 'a'), 'one');
  const taken = [];
  for (let n = 0; n < 5; n++) taken.push(await within(10_000, checkpointer.capture(session, `same ${n}`)));
  const [repository = ''] = repositoriesIn(directory);
  assert.is(readdirSync(join(repository, 'service/extras')).length, 1);
  assert.is(parseIndex(readFileSync(join(repository, 'service/index.json'), 'utf8'))?.records.length, 0);
  assert.equal((await checkpointer.list(session)).checkpoints, taken.toReversed());
  writeFileSync(join(workspace, 'a'), 'two');
  await checkpointer.restore(session, taken[3]?.id ?? '');
  assert.is(readFileSync(join(workspace, 'a'), 'utf8'), 'one');
  await checkpointer.close();
});

recent('what one session shares with a deleted one stays restorable', async () => {
  const { checkpointer, workspace, directory, session } = openCheckpointer();
  writeFileSync(join(workspace, 'a'), 'one');
  const doomed = { ...session, id: 'ses_doomed' };
  await within(10_000, checkpointer.capture(doomed, 'first'));
  const kept = await checkpointer.capture(session, 'second');
  await checkpointer.forget(doomed);
  await checkpointer.close();
  const again = openCheckpointer({ directory, workspace });
  writeFileSync(join(workspace, 'a'), 'two');
  assert.is((await again.checkpointer.restore(session, kept.id)).warning, null);
  assert.is(readFileSync(join(workspace, 'a'), 'utf8'), 'one');
  await again.checkpointer.forget(session);
  await again.checkpointer.close();
  assert.equal(repositoriesIn(directory), []);
});

recent('they are there after a restart, and a half-written last line is left out', async () => {
  const { checkpointer, workspace, directory, session } = openCheckpointer();
  writeFileSync(join(workspace, 'a'), 'one');
  const taken = [];
  for (let n = 0; n < 3; n++) taken.push(await within(10_000, checkpointer.capture(session, `n ${n}`)));
  await checkpointer.close();
  const [repository = ''] = repositoriesIn(directory);
  appendFileSync(join(repository, 'service/recent.jsonl'), '{"generation":1,"record":{"id":"chk_to');
  const again = openCheckpointer({ directory, workspace });
  assert.equal((await again.checkpointer.list(session)).checkpoints, taken.toReversed());
  // What comes behind it is not lost with it.
  taken.push(await within(10_000, again.checkpointer.capture(session, 'behind it')));
  await again.checkpointer.close();
  const last = openCheckpointer({ directory, workspace });
  assert.equal((await last.checkpointer.list(session)).checkpoints, taken.toReversed());
  await last.checkpointer.close();
});

recent('lines of an earlier generation are void, and none counts twice', () => {
  const index: RecordIndex = {
    version: 1,
    tenantId: 't',
    workspace: 'w',
    generation: 3,
    bytes: 1,
    sweep: false,
    records: [],
  };
  const record = { id: 'chk_1', label: 'x', sha: 's', createdAt: '', files: 1, sessionId: 'ses', tree: 't' };
  const line = recentLine({ ...index, bytes: 9 }, record);
  const old = recentLine({ ...index, generation: 2 }, { ...record, id: 'chk_0' });
  const joined = joinRecent(structuredClone(index), old + line + line);
  assert.equal(joined, { ...index, bytes: 9, records: [record] });
});

recent.run();
