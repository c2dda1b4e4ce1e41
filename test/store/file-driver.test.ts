import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../lib/base/clock.ts';
import { type FilePort, systemFiles } from '../../lib/store/file-port.ts';
import { isStorePath, storePaths } from '../../lib/store/store-paths.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually, within } from '../helpers/within.ts';
import { watchedFiles } from './faulty-files.ts';
import { fileStore, filesBelow, filesWith, withStore } from './file-rig.ts';
import { author, sampleMessage, sampleRecord, texts } from './sample.ts';
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

test('the snapshot is in place within two seconds of a change: readable JSON where the contract puts transcripts', async () => {
  const [session, foreign] = [author(), author('acme')];
  const directory = tempDirectory();
  await withStore(directory, async (store) => {
    for (const each of [session, foreign]) {
      await store.commit(each.create({ title: 'Readable' }));
      await store.commit(each.append('a "quoted" text', 'second'));
    }
    const paths = [
      join(directory, 'sessions', `${session.id}.json`),
      join(directory, 'tenants', 'acme', 'sessions', `${foreign.id}.json`),
    ];
    const read = (): Promise<unknown[]> =>
      Promise.all(paths.map(async (path) => JSON.parse(await readFile(path, 'utf8'))));
    await eventually(
      2_000,
      () =>
        read().then(
          () => true,
          () => false,
        ),
      'the snapshots',
    );
    for (const snapshot of (await read()) as { session: { title: string }; messages: { content: string }[] }[]) {
      assert.is(snapshot.session.title, 'Readable');
      assert.equal(
        snapshot.messages.map(({ content }) => content),
        ['a "quoted" text', 'second'],
      );
    }
  });
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

test('a session that is deleted while its snapshot is due or being written does not come back', async () => {
  const directory = tempDirectory();
  await withStore(directory, async (store) => {
    for (let wait = 700; wait < 800; wait += 20) {
      const session = author();
      await store.commit(session.create());
      await store.commit(session.append('x'.repeat(100_000)));
      await pause(wait);
      await store.commit(session.remove());
    }
    await store.flush();
    assert.equal(await readdir(join(directory, 'sessions')), []);
  });
  await withStore(directory, async (_store, { sessions }) => assert.equal(sessions, []));
});

test('a snapshot made from a session in memory that is ahead of the log holds what is durable', async () => {
  const session = author();
  const record = sampleRecord(session.id);
  const messages = Array.from({ length: 20 }, (_, index) => sampleMessage(`${index}`));
  const directory = tempDirectory();
  const store = fileStore(directory);
  await store.open({ resident: () => ({ record: { ...record, revision: 21 }, messages }) });
  await store.commit(session.create());
  const commits = messages.map((message) => store.commit(session.append(message)));
  await Promise.all([...commits, store.flush()]);
  await store.close();
  await withStore(directory, async (again, { sessions }) => {
    assert.is(sessions[0]?.revision, 21);
    assert.equal(texts(await again.readMessages('default', session.id)), texts(messages));
  });
});

test('a session that changes while a slow disk takes its snapshot has one snapshot written at a time', async () => {
  const session = author();
  const writing = new Set<string>();
  let overlaps = 0;
  const files: FilePort = {
    ...systemFiles,
    async open(path, how) {
      if (path.endsWith('.json.tmp') && writing.has(path)) overlaps += 1;
      writing.add(path);
      return systemFiles.open(path, how);
    },
    async sync(descriptor) {
      await pause(300);
      await systemFiles.sync(descriptor);
    },
    async rename(from, to) {
      writing.delete(from);
      await systemFiles.rename(from, to);
    },
  };
  const fast = { ...systemClock, after: (_ms: number, fn: () => void) => systemClock.after(0, fn) };
  const clock = { ...fast, monotonic: () => systemClock.monotonic() * 1_000 };
  const directory = tempDirectory();
  await withStore(
    directory,
    async (store) => {
      await store.commit(session.create());
      for (let index = 0; index < 40; index++) {
        await store.commit(session.append(`${index}`));
        await pause(20);
      }
      await store.flush();
      assert.is((await store.readMessages('default', session.id)).length, 40);
    },
    { files, clock },
  );
  assert.is(overlaps, 0);
});

test('a transcript of 50 MB does not hold up the event loop while it is written and read', async () => {
  const session = author();
  const directory = tempDirectory();
  const text = 'A line of a long transcript, with "quotes" and ünïcode.\n'.repeat(900);
  await withStore(directory, async (store) => {
    await store.commit(session.create());
    for (let part = 0; part < 20; part++) await store.commit(session.append(...Array.from({ length: 50 }, () => text)));
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const end = (): void => clearInterval(timer);
    await within(20_000, store.flush()).catch((error) => {
      end();
      throw error;
    });
    const written = longest;
    longest = 0;
    const messages = await within(20_000, store.readMessages('default', session.id)).finally(end);
    assert.is(messages.length, 1_000);
    assert.is(messages[999]?.content, text);
    console.log(`\n50 MB: longest turn ${written.toFixed(0)} ms writing, ${longest.toFixed(0)} ms reading`);
  });
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
      assert.ok(name === 'tenants' || isStorePath(name), name);
    }
    assert.ok(storePaths(directory).includes(join(directory, 'tenants', 'acme', 'sessions')));
  });
  assert.not(isStorePath('tenants/acme/workspace/sessions'));
  assert.not(isStorePath('memory.json'));
  assert.ok(isStorePath('tenants/anyone/sessions/x.json'));
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
