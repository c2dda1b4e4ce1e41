import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../lib/base/clock.ts';
import { createDiskCare } from '../../lib/store/disk-care.ts';
import { systemFiles } from '../../lib/store/file-port.ts';
import { createImageFiles } from '../../lib/store/image-files.ts';
import { createCommitter } from '../../lib/store/sql/committer.ts';
import type { Database } from '../../lib/store/sql/database.ts';
import { createSqlStore } from '../../lib/store/sql/sql-store.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { fault } from '../store/faulty-files.ts';
import { silent } from '../store/file-rig.ts';
import { author } from '../store/sample.ts';
import { noResidents, rejects } from '../store/session-store-contract.ts';

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

test('a small value of the service, too, when there is no room: the database is not asked to write then', async () => {
  const directory = tempDirectory();
  const written: string[] = [];
  let isFull = false;
  const store = createSqlStore({
    database: {
      ...database,
      async query({ sql }) {
        if (sql.includes('INSERT INTO service_values')) written.push(sql);
        return [];
      },
    },
    images: createImageFiles(systemFiles, directory),
    lock: async () => ({ release: async () => undefined }),
    durable: false,
    room: { forBatch: async () => !isFull, forCopy: async () => true },
    care: createDiskCare({ files: systemFiles, root: directory, reserveBytes: 0, clock: systemClock, log: silent }),
    clock: systemClock,
    log: silent,
  });
  await store.open(noResidents);
  isFull = true;
  const refused = await rejects(store.writeMeta('mark', '1'));
  assert.equal([refused.name, Reflect.get(refused, 'code'), written.length], ['NotStored', 'ENOSPC', 0]);
  isFull = false;
  await store.writeMeta('mark', '1');
  assert.is(written.length, 1);
  await store.close();
});

test.run();
