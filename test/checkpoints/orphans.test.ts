import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually, within } from '../helpers/within.ts';
import { repositoriesIn } from './native-git.ts';
import { openCheckpointer } from './open-checkpointer.ts';

const test = suite('A deletion that a crash cut off takes its checkpoints after the next start');

test('what belongs to no session that is known goes, the rest stays', async () => {
  const first = openCheckpointer();
  const { workspace, directory, session } = first;
  writeFileSync(join(workspace, 'a'), 'one');
  const kept = await within(10_000, first.checkpointer.capture(session, 'kept'));
  await first.checkpointer.capture({ ...session, id: 'ses_gone' }, 'Before: what the deleted one said');
  await first.checkpointer.capture({ ...session, id: 'ses_gone', tenantId: 'acme' }, 'of another tenant');
  await first.checkpointer.close();

  const { checkpointer } = openCheckpointer({ directory, workspace, idleMs: 10 });
  await checkpointer.forgetUnknown((tenantId, id) => id === session.id || tenantId === 'acme');
  assert.equal((await checkpointer.list(session)).checkpoints, [kept]);
  assert.is((await checkpointer.list({ ...session, id: 'ses_gone', tenantId: 'acme' })).checkpoints.length, 1);
  const left = () =>
    repositoriesIn(directory)
      .flatMap((path) =>
        ['index.json', 'recent.jsonl'].map((name) => readFileSync(join(path, 'service', name), 'utf8')),
      )
      .join();
  await eventually(
    10_000,
    () => !left().includes('what the deleted one said'),
    'the words of the deleted session to go',
  );
  await checkpointer.close();
});

test.run();
