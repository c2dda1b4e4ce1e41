import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../lib/base/clock.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually } from '../helpers/within.ts';
import { withStore } from './file-rig.ts';
import { author, sampleMessage } from './sample.ts';

const test = suite('what the file driver keeps in memory');

/** Everything that waits does so for a fifth of the time. */
const clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() * 5,
  after: (ms: number, fn: () => void) => systemClock.after(ms / 5, fn),
};

/** Appends a message and keeps nothing of it. */
async function appendWeakly(store: SessionStore, session: ReturnType<typeof author>): Promise<WeakRef<object>> {
  const message = sampleMessage('held by nobody');
  await store.commit(session.append(message));
  return new WeakRef(message);
}

async function isGone(reference: WeakRef<object>): Promise<boolean> {
  // What a turn of the event loop still holds is not collected in it.
  await new Promise((resolve) => setTimeout(resolve, 5));
  globalThis.gc?.();
  return reference.deref() === undefined;
}

test('nothing of a deleted session stays, also when its snapshot was never synced', async () => {
  const directory = tempDirectory();
  const use = async (store: SessionStore): Promise<void> => {
    const session = author();
    const snapshot = join(directory, 'sessions', `${session.id}.json`);
    await store.commit(session.create());
    const message = await appendWeakly(store, session);
    await eventually(5_000, () => existsSync(snapshot), 'the snapshot');
    assert.not.ok(await isGone(message), 'the log alone has it for certain');
    await store.commit(session.remove());
    await eventually(5_000, () => !existsSync(snapshot), 'the end of the snapshot');
    await eventually(5_000, () => isGone(message), 'the end of the message in memory');
  };
  await withStore(directory, use, { clock });
});

test('a session lets go of what its snapshot holds, also while others are deleted all the time', async () => {
  const use = async (store: SessionStore): Promise<void> => {
    const session = author();
    await store.commit(session.create());
    const message = await appendWeakly(store, session);
    const others: ReturnType<typeof author>[] = [];
    let rounds = 0;
    // Each lives long enough to lie in several segments of the log.
    const lives = async (): Promise<boolean> => {
      const next = author();
      await store.commit(next.create());
      others.push(next);
      for (const other of others) await store.commit(other.append('x'.repeat(60_000)));
      if (others.length > 3) await store.commit((others.shift() ?? next).remove());
      return (await isGone(message)) || ++rounds === 150;
    };
    await eventually(20_000, lives, 'a while of others');
    assert.ok(rounds < 150, 'the message was still held after 30 MB of others');
  };
  await withStore(tempDirectory(), use, { clock });
});

if (globalThis.gc) test.run();
else console.log('SKIPPED what is kept in memory: this needs --expose-gc');
