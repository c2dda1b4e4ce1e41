import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../lib/base/clock.ts';
import { createDiskCare } from '../../lib/store/disk-care.ts';
import { systemFiles } from '../../lib/store/file-port.ts';
import { createImageFiles } from '../../lib/store/image-files.ts';
import { createSqlStore } from '../../lib/store/sql/sql-store.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { silent } from '../store/file-rig.ts';
import { noResidents, rejects } from '../store/session-store-contract.ts';

const test = suite('a database that cannot be opened says what to do');

/** A store whose database fails to open; `endMakesRoom`: its end gives back what filled the disk. */
async function failedOpen({ isFull, endMakesRoom }: { isFull: boolean; endMakesRoom: boolean }) {
  const directory = tempDirectory();
  let full = isFull;
  let released = false;
  const store = createSqlStore({
    database: {
      open: () => Promise.reject(new Error('could not extend file')),
      close: async () => {
        if (endMakesRoom) full = false;
      },
      transaction: async () => [],
      query: async () => [],
    },
    images: createImageFiles(systemFiles, directory),
    lock: async () => ({
      release: async () => {
        released = true;
      },
    }),
    durable: false,
    room: { forBatch: async () => !full, forCopy: async () => true },
    care: createDiskCare({ files: systemFiles, root: directory, reserveBytes: 0, clock: systemClock, log: silent }),
    clock: systemClock,
    log: silent,
  });
  const error = await rejects(store.open(noResidents));
  return { message: error.message, exitCode: Reflect.get(error, 'exitCode'), released };
}

const expected = (advice: string) => ({
  message: `The database cannot be opened (could not extend file). ${advice}`,
  exitCode: 78,
  released: true,
});

test('to make room when its disk is full, also when the end of the failed database has just made some', async () => {
  const advice = 'Its disk is full: make room and start again.';
  assert.equal(await failedOpen({ isFull: true, endMakesRoom: false }), expected(advice));
  assert.equal(await failedOpen({ isFull: true, endMakesRoom: true }), expected(advice));
});

test('to restore a backup when there is room', async () => {
  assert.equal(
    await failedOpen({ isFull: false, endMakesRoom: false }),
    expected('Restore a backup, or move it away and import an export.'),
  );
});

test.run();
