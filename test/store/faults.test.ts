import { rm } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionCommit } from '../../lib/store/change.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { copyOf } from './crash-rig.ts';
import { failingFiles, fault, type Interfere, type Operation, watchedFiles } from './faulty-files.ts';
import { fileStore, withStore } from './file-rig.ts';
import { author, texts } from './sample.ts';
import { noResidents, rejects } from './session-store-contract.ts';

const test = suite('a failing disk loses nothing that was acknowledged');

const segmentBytes = 700;

/** A sample on a real disk; `disk-faults` in test/torture strikes at every call. STORE_FAULT_STEP=1 does here too. */
const step = Number(process.env.STORE_FAULT_STEP ?? 5);

for (const [name, failures] of Object.entries({ 'one system call': 1, 'four system calls in a row': 4 }))
  for (const code of ['EIO', 'ENOSPC', 'short write'])
    test(`${name}, whichever it is: ${code}`, async () => {
      for (let failAt = 1, reached = true; reached; failAt += step) {
        reached = false;
        await within(
          10_000,
          episode(`${code} at call ${failAt}`, ({ operation, count }) => {
            if (count < failAt || count >= failAt + failures) return undefined;
            reached = true;
            if (code !== 'short write') throw fault(code);
            return operation === 'write' || operation === 'writeSync' ? 'short' : undefined;
          }),
        );
      }
    });

test('a disk that stays full refuses changes, still reads, and is written again once there is space', async () => {
  let full = false;
  const session = author();
  const files = failingFiles('ENOSPC', ({ operation }) => full && ['write', 'writeSync', 'open'].includes(operation));
  const directory = tempDirectory();
  await withStore(
    directory,
    async (store) => {
      await store.commit(session.create());
      await store.commit(session.append('before'));
      full = true;
      for (let round = 0; round < 5; round++) {
        const error = await rejects(store.commit(session.append('refused')));
        assert.match(error.message, 'ENOSPC');
        session.undo();
        assert.equal(texts(await store.readMessages('default', session.id)), ['before']);
      }
      full = false;
      await store.commit(session.append('after'));
      assert.equal(texts(await store.readMessages('default', session.id)), ['before', 'after']);
    },
    { files },
  );
  await withStore(directory, async (store, { findings }) => {
    assert.equal(findings, []);
    assert.equal(texts(await store.readMessages('default', session.id)), ['before', 'after']);
  });
});

test('a sync that fails is not trusted: the batch is written again in a new segment', async () => {
  let failing = 1;
  const opened: string[] = [];
  const session = author();
  const files = failingFiles('EIO', ({ operation, path }) => {
    if (operation === 'open') opened.push(path);
    return operation === 'datasync' && failing-- > 0;
  });
  await withStore(
    tempDirectory(),
    async (store) => {
      await store.commit(session.create());
      assert.is(opened.filter((path) => path.endsWith('.log')).length, 2);
      failing = 2;
      await rejects(store.commit(session.append('refused')));
      session.undo();
      await store.commit(session.append('stored'));
      assert.equal(texts(await store.readMessages('default', session.id)), ['stored']);
    },
    { files },
  );
});

test('commits behind a refused one of the same session are refused too', async () => {
  let failing = false;
  const files = failingFiles('ENOSPC', ({ operation }) => failing && operation === 'writeSync');
  const session = author();
  await withStore(
    tempDirectory(),
    async (store) => {
      await store.commit(session.create());
      failing = true;
      const refused = store.commit(session.append('refused'));
      refused.catch(() => {
        failing = false;
      });
      await rejects(refused);
      const behind = await rejects(store.commit(session.append('behind')));
      assert.match(behind.message, 'revision 3 does not follow 1');
      session.undo();
      session.undo();
      await store.commit(session.append('right'));
      assert.equal(texts(await store.readMessages('default', session.id)), ['right']);
    },
    { files },
  );
});

test('a snapshot never holds a change that was refused, though the session in memory had it', async () => {
  const failing = new Set<Operation>();
  const files = failingFiles('EIO', ({ operation }) => failing.has(operation));
  const session = author();
  const created = session.create();
  const [first, second] = [session.append('durable'), session.append('refused')];
  if (created.change.kind !== 'created' || first.change.kind !== 'appended' || second.change.kind !== 'appended')
    return assert.unreachable('the author makes other changes');
  const memory = {
    record: { ...created.change.session, revision: 3 },
    messages: [...first.change.messages, ...second.change.messages],
  };
  const directory = tempDirectory();
  const store = fileStore(directory, { files });
  await store.open({ resident: () => memory });
  await store.commit(created);
  await store.commit(first);
  failing.add('writeSync');
  await rejects(store.commit(second));
  failing.clear();
  await store.close();
  await withStore(directory, async (again, { sessions }) => {
    assert.is(sessions[0]?.revision, 2);
    assert.equal(texts(await again.readMessages('default', session.id)), ['durable']);
  });
});

test.run();

interface Expected {
  contents: string[];
  revision: number;
}

/** A small life of a store in which `interfere` strikes; afterwards the acknowledged state must be there, and only that. */
async function episode(what: string, interfere: Interfere): Promise<void> {
  const directory = tempDirectory();
  let healthy = false;
  const files = watchedFiles((call) => (healthy ? undefined : interfere(call)));
  const store = fileStore(directory, { files, segmentBytes });
  const opened = await store.open(noResidents).then(
    () => true,
    () => false,
  );
  if (!opened) {
    await withStore(directory, async (again) => again.commit(author().create()));
    return;
  }
  const expected = new Map<string, Expected>();
  const [kept, gone] = [author(), author()];
  await life(store, expected, kept, gone);
  healthy = true;
  for (const session of [kept, gone])
    if (expected.has(session.id)) await acknowledged(store, expected, session, session.append('after the fault'), true);
  const copy = await copyOf(directory);
  await compare(store, expected, what);
  await store.close();
  for (const left of [copy, directory]) {
    await withStore(left, async (again, { sessions }) => {
      const revisions = sessions.map(({ id, revision }) => [id, revision]).sort();
      assert.equal(revisions, [...expected].map(([id, { revision }]) => [id, revision]).sort(), what);
      await compare(again, expected, what);
    });
    await rm(left, { recursive: true });
  }
}

type Author = ReturnType<typeof author>;

async function life(store: SessionStore, expected: Map<string, Expected>, kept: Author, gone: Author): Promise<void> {
  await acknowledged(store, expected, kept, kept.create());
  await acknowledged(store, expected, gone, gone.create());
  for (let round = 0; round < 2; round++) {
    for (const session of [kept, gone])
      if (expected.has(session.id)) await acknowledged(store, expected, session, session.append(`round ${round}`));
    await store.flush().catch(() => undefined);
  }
  await store.putImage('default', kept.id, 'AAEC').catch(() => undefined);
  await store.writeMeta('mark', '1').catch(() => undefined);
  if (expected.has(gone.id)) await acknowledged(store, expected, gone, gone.remove());
  if (expected.has(kept.id)) await acknowledged(store, expected, kept, kept.append('x'.repeat(segmentBytes)));
  await store.flush().catch(() => undefined);
}

async function acknowledged(
  store: SessionStore,
  expected: Map<string, Expected>,
  session: Author,
  commit: SessionCommit,
  must = false,
): Promise<void> {
  try {
    await store.commit(commit);
  } catch (error) {
    if (must) throw error;
    session.undo();
    return;
  }
  const { change, revision } = commit;
  if (change.kind === 'deleted') expected.delete(session.id);
  else {
    const contents = expected.get(session.id)?.contents ?? [];
    if (change.kind === 'appended') contents.push(...texts(change.messages));
    expected.set(session.id, { contents, revision });
  }
}

async function compare(store: SessionStore, expected: Map<string, Expected>, what: string): Promise<void> {
  for (const [id, { contents }] of expected)
    assert.equal(texts(await store.readMessages('default', id)), contents, what);
}
