import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { failingFiles } from './faulty-files.ts';
import { withStore } from './file-rig.ts';
import { author, texts } from './sample.ts';
import { rejects } from './session-store-contract.ts';

const test = suite('nobody is told that nothing was changed when nobody can know');

test('what the disk took, failed to sync and kept is in doubt, and void with the next change that is stored', async () => {
  let failing = false;
  const session = author();
  const files = failingFiles('EIO', ({ operation }) => failing && ['datasync', 'truncateSync'].includes(operation));
  const directory = tempDirectory();
  await withStore(
    directory,
    async (store) => {
      await store.commit(session.create());
      failing = true;
      assert.is((await rejects(store.commit(session.append('in doubt')))).name, 'StoreInDoubt');
      session.undo();
      failing = false;
      await store.commit(session.append('stored'));
    },
    { files },
  );
  await withStore(directory, async (store) => {
    assert.equal(texts(await store.readMessages('default', session.id)), ['stored']);
  });
});

test.run();
