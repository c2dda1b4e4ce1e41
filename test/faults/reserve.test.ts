import { statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionCommit } from '../../lib/store/change.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually } from '../helpers/within.ts';
import { failingFiles } from '../store/faulty-files.ts';
import { fileStore, filesWith } from '../store/file-rig.ts';
import { author, sampleMessage, texts } from '../store/sample.ts';
import { noResidents, rejects } from '../store/session-store-contract.ts';

const megabyte = 1024 * 1024;
const reserveBytes = 2 * megabyte;

/** A store on a disk that is full when the test wants it: then only what the reserve gave back can be written. */
function rig(directory = tempDirectory()) {
  const clock = createFakeClock();
  const path = join(directory, 'reserve.bin');
  let free = 100 * megabyte;
  let room = Number.POSITIVE_INFINITY;
  const files = failingFiles('ENOSPC', ({ operation, path: at }) => {
    if (operation === 'open' && at === path && held(path)) room += reserveBytes;
    return room <= 0 && ['write', 'writeSync', 'open'].includes(operation);
  });
  const disk = {
    free: async () => free,
    size: async (at: string) => statSync(at, { throwIfNoEntry: false })?.size,
  };
  return {
    directory,
    path,
    clock,
    store: fileStore(directory, { files, disk, clock, reserveBytes }),
    fill() {
      free = 0;
      room = 0;
    },
    setFree(bytes: number) {
      free = bytes;
      if (bytes > 0) room = Number.POSITIVE_INFINITY;
    },
    async look(ms: number) {
      clock.advance(ms);
      await new Promise((resolve) => setTimeout(resolve, 20));
    },
  };
}

function held(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.size === reserveBytes;
}

/** With its reserve on the disk. */
async function opened() {
  const here = rig();
  await here.store.open(noResidents);
  await here.look(30_000);
  await eventually(2_000, () => held(here.path), 'the reserve');
  return here;
}

const reserve = suite('A reserve on the disk');

reserve('is made when the start is over, and only where there is ample room', async () => {
  const here = rig();
  here.setFree(8 * reserveBytes - 1);
  await here.store.open(noResidents);
  await here.look(29_999);
  assert.is(here.clock.pending > 0, true);
  await here.look(1);
  assert.is(statSync(here.path, { throwIfNoEntry: false }), undefined);
  here.setFree(8 * reserveBytes);
  await here.look(60_000);
  await eventually(2_000, () => held(here.path), 'the reserve');
  assert.is(statSync(here.path).mode & 0o777, 0o600);
  await here.store.close();
  const again = rig(here.directory);
  await again.store.open(noResidents);
  assert.is(again.clock.pending, 0);
  await again.store.close();
});

reserve('of another size, or not wanted any more, is removed', async () => {
  const here = await opened();
  await here.store.close();
  const without = fileStore(here.directory);
  await without.open(noResidents);
  assert.is(statSync(here.path, { throwIfNoEntry: false }), undefined);
  await without.close();
});

reserve('that a full disk cuts off in the middle leaves nothing behind', async () => {
  const clock = createFakeClock();
  const directory = tempDirectory();
  const path = join(directory, 'reserve.bin');
  let pieces = 0;
  const files = failingFiles(
    'ENOSPC',
    ({ operation, path: at }) => operation === 'write' && at === path && ++pieces === 2,
  );
  const store = fileStore(directory, { files, clock, reserveBytes });
  await store.open(noResidents);
  clock.advance(30_000);
  await eventually(2_000, () => pieces === 2, 'the second piece');
  await eventually(2_000, () => statSync(path, { throwIfNoEntry: false }) === undefined, 'its removal');
  assert.is(store.trouble?.(), undefined);
  await store.commit(author().create());
  await store.close();
});

reserve.run();

const full = suite('On a full disk what ends something is stored out of the reserve, and nothing else');

full('deletions and ends of runs are, messages are not; once there is space all of it goes on', async () => {
  const here = await opened();
  const { store } = here;
  const [kept, gone] = [author(), author()];
  for (const session of [kept, gone]) {
    await store.commit(session.create({ title: `Title of ${session.id}` }));
    await store.commit(session.append(`words of ${session.id}`));
  }
  here.fill();
  await refused(store, kept, kept.append('a message'));
  assert.is(held(here.path), true, 'a message does not touch it');
  assert.is(store.trouble?.(), undefined);

  await store.commit(gone.remove());
  assert.is(held(here.path), false);
  assert.is(store.trouble?.(), 'full');
  await refused(store, kept, kept.append('another message'));
  await assertRejectsImage(store, kept.id);
  await store.commit(kept.update({ status: 'error' }));
  here.clock.advance(60);
  // A file that is being replaced can vanish while it is looked at.
  const left = () => filesWith(here.directory, `words of ${gone.id}`).catch(() => ['unknown']);
  await eventually(2_000, async () => (await left()).length === 0, 'purge');

  here.setFree(2 * reserveBytes - 1);
  await here.look(2_000);
  await refused(store, kept, kept.append('too early'));
  here.setFree(2 * reserveBytes);
  await here.look(2_000);
  assert.is(store.trouble?.(), undefined);
  await store.commit(kept.append('after'));
  assert.is(held(here.path), false);
  here.setFree(8 * reserveBytes);
  await here.look(60_000);
  await eventually(2_000, () => held(here.path), 'the reserve again');
  assert.equal(texts(await store.readMessages('default', kept.id)), [`words of ${kept.id}`, 'after']);
  await store.close();

  const again = rig(here.directory);
  const { sessions } = await again.store.open(noResidents);
  assert.equal(
    sessions.map(({ id, status }) => [id, status]),
    [[kept.id, 'error']],
  );
  await again.store.close();
});

full('of a batch only those are stored that end something, in order and without a hole', async () => {
  const here = await opened();
  const { store } = here;
  const [running, waiting] = [author(), author()];
  for (const session of [running, waiting]) await store.commit(session.create({ status: 'running' }));
  here.fill();
  const results = await Promise.allSettled([
    store.commit(running.append(skipped)),
    store.commit(running.update({ status: 'interrupted' })),
    store.commit(waiting.append('a message')),
  ]);
  assert.equal(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected'],
  );
  here.setFree(100 * megabyte);
  await store.close();
  const again = rig(here.directory);
  const { sessions, findings } = await again.store.open(noResidents);
  assert.equal(findings, []);
  assert.equal(sessions.map(({ status, revision }) => [status, revision]).sort(), [
    ['interrupted', 3],
    ['running', 1],
  ]);
  await again.store.close();
});

full('a small value of the service itself is stored too', async () => {
  const here = await opened();
  here.fill();
  await here.store.writeMeta('mark', '7');
  assert.is(await here.store.readMeta('mark'), '7');
  here.setFree(100 * megabyte);
  await here.store.close();
});

full('a store opens on it, and marks what was interrupted', async () => {
  const here = await opened();
  const session = author();
  await here.store.commit(session.create({ status: 'running' }));
  await here.store.close();
  const again = rig(here.directory);
  again.fill();
  const { sessions } = await again.store.open(noResidents);
  assert.is(sessions[0]?.status, 'running');
  await again.store.commit(session.update({ status: 'interrupted' }));
  await again.store.close();

  const third = rig(here.directory);
  third.setFree(0);
  await third.store.open(noResidents);
  assert.is(third.store.trouble?.(), 'full', 'what is left of the reserve is still not for messages');
  third.setFree(100 * megabyte);
  await third.look(2_000);
  assert.is(third.store.trouble?.(), undefined);
  await third.store.close();
});

full.run();

async function refused(
  store: SessionStore,
  session: { undo(): void },
  commit: SessionCommit,
): Promise<Error & { code?: string }> {
  const error = await rejects(store.commit(commit));
  assert.is(error.name, 'NotStored');
  session.undo();
  return error;
}

const skipped = sampleMessage('Not executed: the run ended before it.', {
  role: 'tool',
  toolCallId: 'call_1',
  toolName: 'act',
  isError: true,
});

async function assertRejectsImage(store: SessionStore, sessionId: string): Promise<void> {
  assert.is((await rejects(store.putImage('default', sessionId, 'AAEC'))).name, 'NotStored');
}
