import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createCommitter } from '../../lib/store/sql/committer.ts';
import type { Database } from '../../lib/store/sql/database.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { within } from '../helpers/within.ts';
import { fault } from '../store/faulty-files.ts';
import { silent } from '../store/file-rig.ts';
import { author } from '../store/sample.ts';
import { rejects } from '../store/session-store-contract.ts';

const test = suite('a change that cannot be made is refused with the reason, and the next one is made');

const database: Database = {
  open: async () => undefined,
  close: async () => undefined,
  transaction: async () => [],
  query: async () => [],
};

test('when the disk cannot be asked for its room', async () => {
  let failing = true;
  const durable: string[] = [];
  const committer = createCommitter({
    database,
    known: new Map(),
    aside: new Set(),
    room: { forBatch: async () => (failing ? Promise.reject(fault('EIO')) : true) },
    care: { met: async () => false, suspect: async () => undefined, trouble: () => undefined },
    onDurable: (commits) => durable.push(...commits.map(({ sessionId }) => sessionId)),
    clock: createFakeClock(),
    log: silent,
  });
  const [first, second] = [author(), author()];
  const refused = await within(
    1_000,
    Promise.all([first, second].map((each) => rejects(committer.commit(each.create())))),
  );
  assert.equal(
    refused.map((error) => [error.name, Reflect.get(error, 'code')]),
    [
      ['NotStored', 'EIO'],
      ['NotStored', 'EIO'],
    ],
  );
  failing = false;
  first.undo();
  await within(1_000, committer.commit(first.create()));
  assert.equal(durable, [first.id]);
  await within(1_000, committer.idle());
});

test.run();
