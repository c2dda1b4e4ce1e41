import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { copyOf, crashAfter, crashedDirectory, flip, segmentIn, snapshotOf } from './crash-rig.ts';
import { fault, watchedFiles } from './faulty-files.ts';
import { fileStore, filesBelow, withStore } from './file-rig.ts';
import { author, texts } from './sample.ts';
import { noResidents } from './session-store-contract.ts';

const test = suite('a data directory recovers to the last durable commit');

test('a first snapshot that a power cut has torn is made again from the log', async () => {
  const session = author();
  const crashed = await crashAfter(async (store) => {
    await store.commit(session.create());
    await store.commit(session.append('first', 'second'));
    await snapshotOf(crashedDirectory(store), session.id, 2);
  });
  const path = join(crashed, 'sessions', `${session.id}.json`);
  const whole = await readFile(path);
  for (const length of [0, 20, whole.indexOf('\n') + 1, whole.indexOf('second'), whole.length - 1]) {
    const zeros = Buffer.alloc(whole.length);
    whole.copy(zeros, 0, 0, length);
    for (const torn of [whole.subarray(0, length), zeros]) {
      const copy = await copyOf(crashed);
      await writeFile(join(copy, 'sessions', `${session.id}.json`), torn);
      await withStore(copy, async (store, { findings }) => {
        assert.equal(findings, []);
        assert.equal(texts(await store.readMessages('default', session.id)), ['first', 'second'], `torn at ${length}`);
      });
      const made = JSON.parse(await readFile(join(copy, 'sessions', `${session.id}.json`), 'utf8'));
      assert.equal(texts(made.messages), ['first', 'second']);
    }
  }
});

test('a missing or damaged index is rebuilt from the snapshots', async () => {
  const [session, foreign, removed] = [author(), author('acme'), author()];
  const directory = tempDirectory();
  await withStore(directory, async (store) => {
    for (const each of [session, foreign, removed]) await store.commit(each.create({ title: `Title of ${each.id}` }));
    await store.commit(session.append('a', 'b'));
    await store.commit(foreign.append('c'));
    await store.commit(removed.remove());
  });
  const index = await readFile(join(directory, 'index.json'));
  const damages = [
    undefined,
    Buffer.alloc(0),
    index.subarray(0, index.length / 2),
    Buffer.from('{}\n'),
    flip(index, 200),
  ];
  for (const damage of damages) {
    if (damage) await writeFile(join(directory, 'index.json'), damage);
    else await rm(join(directory, 'index.json'));
    await withStore(directory, async (store, { sessions, findings }) => {
      assert.equal(sessions.map(({ id }) => id).sort(), [session.id, foreign.id].sort());
      assert.is(findings.length, damage ? 1 : 0);
      assert.is(sessions.find(({ id }) => id === session.id)?.title, `Title of ${session.id}`);
      assert.equal(texts(await store.readMessages('default', session.id)), ['a', 'b']);
      assert.equal(texts(await store.readMessages('acme', foreign.id)), ['c']);
    });
  }
});

test('a snapshot that can not be read is quarantined when the index is gone too; the boot goes on', async () => {
  const [session, damaged] = [author(), author()];
  const directory = tempDirectory();
  await withStore(directory, async (store) => {
    for (const each of [session, damaged]) await store.commit(each.create());
    await store.commit(damaged.append('lost'));
  });
  await rm(join(directory, 'index.json'));
  await writeFile(join(directory, 'sessions', `${damaged.id}.json`), 'not a snapshot\n');
  await withStore(directory, async (_store, { sessions, findings }) => {
    assert.equal(
      sessions.map(({ id }) => id),
      [session.id],
    );
    assert.is(findings.length, 1);
  });
  const kept = await readFile(join(directory, 'quarantine', damaged.id, 'session.json'), 'utf8');
  assert.is(kept, 'not a snapshot\n');
});

test('a session that was brought back and is damaged again is quarantined again; its images of both times are kept', async () => {
  const directory = tempDirectory();
  const hashes: string[] = [];
  for (const image of ['AAEC', 'AwQF']) {
    const session = author('default', 'ses_again');
    await withStore(directory, async (store) => {
      await store.commit(session.create());
      for (const data of ['BgcI', image]) hashes.push((await store.putImage('default', session.id, data)).hash);
    });
    await rm(join(directory, 'index.json'));
    await writeFile(join(directory, 'sessions', 'ses_again.json'), `damaged after ${image}\n`);
    await withStore(directory, async (_store, { sessions, aside }) =>
      assert.equal([sessions, aside], [[], [session.id]]),
    );
  }
  const aside = join(directory, 'quarantine/ses_again');
  assert.is(await readFile(join(aside, 'session.json'), 'utf8'), 'damaged after AwQF\n');
  assert.equal((await readdir(join(aside, 'blobs'))).sort(), [...new Set(hashes)].sort());
});

test('a transcript that was damaged on disk is refused, never shortened', async () => {
  const session = author();
  const directory = tempDirectory();
  await withStore(directory, async (store) => {
    await store.commit(session.create());
    await store.commit(session.append('intact', 'intact too'));
  });
  const path = join(directory, 'sessions', `${session.id}.json`);
  const bytes = await readFile(path);
  for (const damage of [flip(bytes, bytes.indexOf('intact too')), bytes.subarray(0, bytes.indexOf('intact too') - 1)]) {
    await writeFile(path, damage);
    await withStore(directory, async (store) => {
      const error = await store.readMessages('default', session.id).catch((reason: Error) => reason);
      assert.instance(error, Error);
    });
  }
});

test('recovery that is interrupted at any system call is done again with the same result', async () => {
  const [session, damaged, removed] = [author(), author(), author()];
  const crashed = await crashAfter(async (store) => {
    for (const each of [session, damaged, removed]) await store.commit(each.create());
    await store.commit(damaged.append('TO BE DAMAGED'));
    await store.commit(session.append('kept'));
    await store.commit(removed.remove());
    await store.commit(session.append('last'));
  });
  const bytes = await readFile(segmentIn(crashed));
  await writeFile(
    segmentIn(crashed),
    Buffer.concat([flip(bytes, bytes.indexOf('TO BE DAMAGED')), Buffer.from('0123torn')]),
  );
  for (let failAt = 1, finished = false; !finished; failAt++) {
    const copy = await copyOf(crashed);
    finished = true;
    const files = watchedFiles(({ count }) => {
      if (count < failAt) return undefined;
      finished = false;
      throw fault('EIO');
    });
    const interrupted = fileStore(copy, { files });
    await interrupted.open(noResidents).catch(() => undefined);
    await interrupted.close();
    await withStore(copy, async (store, { sessions }) => {
      assert.equal(
        sessions.map(({ id }) => id),
        [session.id],
        `interrupted at ${failAt}`,
      );
      assert.equal(texts(await store.readMessages('default', session.id)), ['kept', 'last']);
    });
    await rm(copy, { recursive: true });
  }
});

test('temporary files of a process that died are removed', async () => {
  const session = author();
  const directory = tempDirectory();
  await withStore(directory, async (store) => {
    await store.commit(session.create());
    await store.putImage('default', session.id, 'AAEC');
  });
  const left = ['index.json.tmp', 'log/9.log.tmp', `sessions/${session.id}.json.tmp`, `blobs/${session.id}/ab.1.tmp`];
  for (const path of left) await writeFile(join(directory, path), 'half');
  await withStore(directory, async () => undefined);
  const paths = [...(await filesBelow(directory)).keys()];
  assert.equal(
    paths.filter((path) => path.endsWith('.tmp')),
    [],
  );
});

test.run();
