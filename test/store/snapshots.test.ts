import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../lib/base/clock.ts';
import { type FilePort, systemFiles } from '../../lib/store/file-port.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually, within } from '../helpers/within.ts';
import { fileStore, withStore } from './file-rig.ts';
import { author, sampleMessage, sampleRecord, texts } from './sample.ts';

const test = suite('the snapshots of the file driver');

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

test('two snapshots are written at once, four when a burst of changes has made them late', async () => {
  const clock = createFakeClock();
  const waiting: (() => void)[] = [];
  const files: FilePort = {
    ...systemFiles,
    async open(path, how) {
      if (path.endsWith('.json.tmp') && path.includes('ses_')) await new Promise<void>((go) => waiting.push(go));
      return systemFiles.open(path, how);
    },
  };
  const store = fileStore(tempDirectory(), { files, clock });
  await store.open({ resident: () => undefined });
  for (let count = 0; count < 12; count++) await store.commit(author().create());
  clock.advance(750);
  await eventually(2_000, () => waiting.length === 2, 'the first two');
  clock.advance(2_000);
  await pause(20);
  assert.is(waiting.length, 2);
  for (let written = 0; written < 8; written++) {
    waiting.shift()?.();
    await eventually(2_000, () => waiting.length === 4, `four after ${written + 1}`);
  }
  for (let left = 4; left > 0; left--) waiting.shift()?.();
  await store.close();
});

test('a snapshot does not count as synced while an unsynced one is about to take its place', async () => {
  const clock = createFakeClock();
  const session = author();
  const held = new Map<string, () => void>();
  const hold = (what: string) => new Promise<void>((go) => held.set(what, go));
  const paths = new Map<number, string>();
  let taken = 0;
  const files: FilePort = {
    ...systemFiles,
    async open(path, how) {
      if (path.endsWith(`${session.id}.json.tmp`) && taken++ === 1) await hold('second');
      const descriptor = await systemFiles.open(path, how);
      paths.set(descriptor, path);
      return descriptor;
    },
    async sync(descriptor) {
      if (paths.get(descriptor)?.endsWith(`${session.id}.json`)) await hold('settling');
      await systemFiles.sync(descriptor);
    },
  };
  const directory = tempDirectory();
  const store = fileStore(directory, { files, clock });
  await store.open({ resident: () => undefined });
  await store.commit(session.create());
  const flushed = store.flush();
  await eventually(2_000, () => held.has('settling'), 'the sync of the first snapshot');
  await store.commit(session.append('later'));
  clock.advance(750);
  await eventually(2_000, () => held.has('second'), 'the second snapshot');
  held.get('settling')?.();
  await pause(50);
  held.get('second')?.();
  const release = setInterval(() => held.get('settling')?.(), 5);
  await within(5_000, flushed);
  const [settled] = /"snapshot":\{[^}]*\}/.exec(await readFile(join(directory, 'index.json'), 'utf8')) ?? [];
  await within(5_000, store.close());
  clearInterval(release);
  // Nothing yet, or the second one: the first is not there any more.
  assert.match(settled ?? '', /"revision":[02]\}/);
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

test.run();
