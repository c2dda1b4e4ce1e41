import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { layout, storePaths } from '../../lib/store/store-paths.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually } from '../helpers/within.ts';
import { failingFiles, watchedFiles } from './faulty-files.ts';
import { fileStore, filesBelow, filesWith, withStore } from './file-rig.ts';
import { author, texts } from './sample.ts';
import { noResidents, rejects } from './session-store-contract.ts';

const test = suite('the file driver');

test('commits of many sessions at once share syncs', async () => {
  let syncs = 0;
  const files = watchedFiles(({ operation }) => {
    if (operation === 'datasync') syncs += 1;
    return undefined;
  });
  const sessions = Array.from({ length: 64 }, () => author());
  await withStore(
    tempDirectory(),
    async (store) => {
      await Promise.all(sessions.map((session) => store.commit(session.create())));
      assert.is(syncs, 1);
      for (const count of [2, 3]) {
        await Promise.all(sessions.map((session) => store.commit(session.append('at once'))));
        assert.is(syncs, count);
      }
    },
    { files },
  );
});

test('a commit resolves only after its sync', async () => {
  const order: string[] = [];
  const files = watchedFiles(({ operation, path }) => {
    if (path.endsWith('.log') && ['writeSync', 'datasync'].includes(operation)) order.push(operation);
    return undefined;
  });
  await withStore(
    tempDirectory(),
    async (store) => {
      await store.commit(author().create());
      order.push('resolved');
    },
    { files },
  );
  assert.equal(order, ['writeSync', 'datasync', 'resolved']);
});

test('durability process acknowledges without a sync', async () => {
  let syncs = 0;
  const files = watchedFiles(({ operation }) => {
    if (operation === 'datasync') syncs += 1;
    return undefined;
  });
  await withStore(tempDirectory(), (store) => store.commit(author().create()), { files, durability: 'process' });
  assert.is(syncs, 0);
});

test('500 ms after a deletion no byte of the session is left, wherever it was', async () => {
  const directory = tempDirectory();
  const [kept, gone, young] = [author(), author(), author()];
  const image = Buffer.from('SECRET IMAGE BYTES').toString('base64');
  await withStore(directory, (store) => store.commit(kept.create()), { segmentBytes: 2_000 });
  const store = fileStore(directory, { segmentBytes: 2_000 });
  await store.open(noResidents);
  await store.commit(gone.create({ title: 'SECRET TITLE' }));
  for (let index = 0; index < 30; index++) {
    await store.commit(gone.append(`SECRET CONTENT ${index} ${'.'.repeat(200)}`));
    await store.commit(kept.append(`kept ${index}`));
  }
  await store.putImage('default', gone.id, image);
  await store.flush();
  await store.commit(gone.append('SECRET AND LATE'));
  await store.commit(young.create({ title: 'SECRET AND YOUNG' }));
  assert.ok((await filesWith(directory, 'SECRET')).length >= 4);
  await Promise.all([store.commit(gone.remove()), store.commit(young.remove())]);
  await pause(500);
  assert.equal(await filesWith(directory, 'SECRET'), []);
  assert.equal(await filesWith(directory, `${gone.id}.json`), []);
  await rejects(store.putImage('default', gone.id, image));
  assert.equal(await filesWith(directory, 'SECRET'), []);
  await store.close();
  await withStore(directory, async (again, { sessions, findings }) => {
    assert.equal(findings, []);
    assert.equal(
      sessions.map(({ id }) => id),
      [kept.id],
    );
    assert.is((await again.readMessages('default', kept.id)).length, 30);
  });
});

test('a deleted session whose files can not be removed keeps those of no other one', async () => {
  const directory = tempDirectory();
  const [stuck, gone] = [author(), author()];
  let failing = true;
  const files = failingFiles(
    'EIO',
    ({ operation, path }) => failing && operation === 'remove' && path.includes(stuck.id),
  );
  await withStore(
    directory,
    async (store) => {
      for (const each of [stuck, gone]) {
        await store.commit(each.create({ title: `SECRET of ${each.id}` }));
        await store.putImage('default', each.id, Buffer.from(`SECRET IMAGE of ${each.id}`).toString('base64'));
      }
      await store.flush();
      for (const each of [stuck, gone]) await store.commit(each.remove());
      await pause(500);
      assert.equal(await filesWith(directory, `of ${gone.id}`), []);
      assert.ok((await filesWith(directory, `of ${stuck.id}`)).length > 0);
      failing = false;
      await store.flush();
      assert.equal(await filesWith(directory, 'SECRET'), []);
    },
    { files },
  );
});

test('the index follows the log also when nothing but deletions asks for it', async () => {
  const directory = tempDirectory();
  // Its time stands still: no snapshot has its turn, and nothing of what waits is done.
  const options = { clock: createFakeClock(), segmentBytes: 2_000 };
  const use = async (store: SessionStore): Promise<void> => {
    const index = join(directory, layout.index);
    for (let sessions = 0; sessions < 20; sessions++) {
      const each = author();
      await store.commit(each.create());
      await store.commit(each.append('x'.repeat(4_000)));
      await store.commit(each.remove());
    }
    await eventually(5_000, () => existsSync(index), 'the index');
  };
  await withStore(directory, use, options);
});

test('the log is short again after segments have been covered by snapshots', async () => {
  const directory = tempDirectory();
  const session = author();
  await withStore(
    directory,
    async (store) => {
      await store.commit(session.create());
      for (let index = 0; index < 100; index++) await store.commit(session.append('.'.repeat(500)));
      await store.flush();
      const names = await readdir(join(directory, 'log'));
      assert.ok(names.length <= 1, names.join(' '));
      await store.commit(session.append('later'));
    },
    { segmentBytes: 4_000 },
  );
  await withStore(directory, async (store) => {
    assert.is((await store.readMessages('default', session.id)).length, 101);
  });
});

test('everything it writes is for the owner only', async () => {
  const directory = join(tempDirectory(), 'fresh');
  const session = author('acme');
  await withStore(directory, async (store) => {
    await store.commit(session.create());
    await store.putImage('acme', session.id, 'AAEC');
    await store.writeMeta('mark', '1');
    await store.flush();
    await store.commit(session.append('in the log'));
    const paths = [...(await filesBelow(directory)).keys()];
    assert.ok(paths.length >= 5);
    for (const path of paths) assert.is((await stat(path)).mode & 0o777, 0o600, path);
    for (const name of await readdir(directory)) {
      const found = await stat(join(directory, name));
      if (found.isDirectory()) assert.is(found.mode & 0o777, 0o700, name);
      assert.ok(name === 'tenants' || storePaths(directory).includes(join(directory, name)), name);
    }
    assert.ok(storePaths(directory).includes(join(directory, 'tenants', 'acme', 'sessions')));
  });
});

test('a commit that does not follow, or is for a session that is not there, is refused', async () => {
  await withStore(tempDirectory(), async (store) => {
    const [session, unknown] = [author(), author()];
    await store.commit(session.create());
    await rejects(store.commit({ ...session.append('skips'), revision: 9 }));
    await rejects(store.commit({ ...session.create(), revision: 1 }));
    await rejects(store.commit(unknown.append('nowhere')));
    await rejects(store.commit(unknown.remove()));
    await store.commit({ ...session.append('follows'), revision: 2 });
    assert.equal(texts(await store.readMessages('default', session.id)), ['follows']);
  });
});

test('ids never become paths outside of the directory', async () => {
  await withStore(tempDirectory(), async (store) => {
    await rejects(store.putImage('default', '../escape', 'AAEC'));
    await rejects(store.writeMeta('../escape', 'x'));
    await rejects(store.readMeta('a/b'));
  });
});

test.run();
