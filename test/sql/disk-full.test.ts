import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { eventually, within } from '../helpers/within.ts';
import { author, texts } from '../store/sample.ts';
import { noResidents } from '../store/session-store-contract.ts';
import { memoryDisk } from './scratch-disk.ts';
import { embeddedDatabase, sqlStore, sqlStoreOn } from './sql-rig.ts';

const test = suite('a full disk');

function disk(): ReturnType<typeof memoryDisk> | undefined {
  try {
    return memoryDisk(96);
  } catch (error) {
    console.log(`SKIPPED the full disk: this machine does not let us mount (${String(error).split('\n')[0]})`);
    return undefined;
  }
}

/** Takes all the room there is. Returns what gives it back. */
function fillUp(directory: string): () => void {
  const path = join(directory, 'ballast');
  const descriptor = openSync(path, 'w');
  const block = Buffer.alloc(64 * 1024);
  try {
    for (;;) writeSync(descriptor, block);
  } catch {
    closeSync(descriptor);
  }
  return () => rmSync(path);
}

/** With the guard that keeps the database from a full disk, and with the database finding out by itself. */
for (const guarded of [true, false])
  test(`loses nothing that was acknowledged${guarded ? '' : ', even when PostgreSQL meets it'}`, async () => {
    const full = disk();
    if (!full) return;
    const directory = join(full.directory, 'data');
    const store = guarded ? sqlStore(directory) : sqlStoreOn(embeddedDatabase(directory), directory);
    try {
      await store.open(noResidents);
      const { session, acknowledged, say, sayUntilRefused } = await talkIn(store);
      await say('before');
      const free = fillUp(full.directory);
      // Text that can't be compressed, so that the log needs a new file soon.
      const long = within(60_000, sayUntilRefused(), 'the refusal');
      // When the database is lost nobody can know before it is back, which needs room.
      if (guarded) assert.match((await long).message, /no space|ENOSPC/i);
      else await new Promise((resolve) => setTimeout(resolve, 4_000));
      free();
      await long;
      const accepted = (): Promise<boolean> =>
        say('after').then(
          () => true,
          () => false,
        );
      await eventually(20_000, accepted, 'room');
      assert.equal(texts(await store.readMessages('default', session.id)), acknowledged);
      await store.close();
      const again = sqlStore(directory);
      await again.open(noResidents);
      assert.equal(texts(await again.readMessages('default', session.id)), acknowledged);
      await again.close();
    } finally {
      await store.close();
      full.dispose();
    }
  });

test('that PostgreSQL meets by itself is survived out of the reserve, without anybody making room', async () => {
  const full = disk();
  if (!full) return;
  const directory = join(full.directory, 'data');
  const reserveBytes = 24 * 2 ** 20;
  mkdirSync(directory);
  writeFileSync(join(directory, 'reserve.bin'), Buffer.alloc(reserveBytes));
  const store = sqlStoreOn(embeddedDatabase(directory), directory, { reserveBytes });
  try {
    await store.open(noResidents);
    const { session, acknowledged, say, sayUntilRefused } = await talkIn(store);
    const free = fillUp(full.directory);
    await within(90_000, sayUntilRefused(), 'the refusal');
    // As long as the log's file has room nothing needs the reserve.
    for (let round = 0; round < 60 && store.trouble?.() !== 'full'; round++) {
      const systemPrompt = randomBytes(60_000).toString('base64');
      await within(60_000, store.commit(session.update({ status: 'error', systemPrompt })), 'the end of a run');
    }
    assert.is(store.trouble?.(), 'full');
    assert.equal(texts(await store.readMessages('default', session.id)), acknowledged);
    free();
    await eventually(20_000, () => store.trouble?.() === undefined, 'room');
    await say('after');
    assert.equal(texts(await store.readMessages('default', session.id)), acknowledged);
  } finally {
    await store.close();
    full.dispose();
  }
});

test.run();

/** A new session of an open store, and what of it was acknowledged. */
async function talkIn(store: SessionStore) {
  const session = author();
  const acknowledged: string[] = [];
  await store.commit(session.create());
  const say = async (text: string): Promise<void> => {
    try {
      await store.commit(session.append(text));
      acknowledged.push(text);
    } catch (error) {
      session.undo();
      throw error;
    }
  };
  const sayUntilRefused = async (): Promise<Error> => {
    for (let round = 0; round < 60; round++) {
      try {
        await say(randomBytes(300_000).toString('base64'));
      } catch (error) {
        return error as Error;
      }
    }
    return new Error('no space was ever missing');
  };
  return { session, acknowledged, say, sayUntilRefused };
}
