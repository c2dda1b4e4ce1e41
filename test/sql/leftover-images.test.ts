import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemFiles } from '../../lib/store/file-port.ts';
import { createImageFiles } from '../../lib/store/image-files.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually } from '../helpers/within.ts';
import { author, texts } from '../store/sample.ts';
import { noResidents } from '../store/session-store-contract.ts';
import { embeddedDatabase, sqlStore } from './sql-rig.ts';

const test = suite('what a crash leaves of images goes after the next start');

/** A closed store of one session with messages and an image. */
async function closedStore() {
  const directory = tempDirectory();
  const store = sqlStore(directory);
  await store.open(noResidents);
  const { id, create, append } = author();
  await store.commit(create());
  await store.commit(append('one', 'two'));
  const { hash } = await store.putImage('default', id, 'AAEC');
  await store.close();
  return { directory, blobs: join(directory, 'service.db/blobs'), id, hash };
}

/** The same, with a record that is no JSON any more. */
async function damagedStore() {
  const made = await closedStore();
  const database = embeddedDatabase(made.directory);
  await database.query({ sql: "UPDATE sessions SET record = 'damaged'" });
  await database.close();
  return made;
}

test('unfinished files and images of sessions that are not there; whole ones stay', async () => {
  const { directory, blobs, id, hash } = await closedStore();
  const unfinished = join(blobs, id, `${hash}.8a0b1c2d3e4f-1.tmp`);
  const orphan = join(blobs, 'ses_never_created');
  writeFileSync(unfinished, 'half');
  mkdirSync(orphan);
  writeFileSync(join(orphan, hash), 'whole');

  const again = sqlStore(directory);
  await again.open(noResidents);
  await eventually(10_000, () => !existsSync(unfinished) && !existsSync(orphan), 'the sweep');
  assert.is(await again.readImage('default', id, hash), 'AAEC');
  await again.close();
});

test('a session whose record cannot be read keeps its images, and is whole when it is imported again', async () => {
  const { directory, blobs, id, hash } = await damagedStore();
  const orphan = join(blobs, 'ses_never_created');
  mkdirSync(orphan);
  const damaged = sqlStore(directory);
  assert.equal((await damaged.open(noResidents)).aside, [id]);
  await eventually(10_000, () => !existsSync(orphan), 'the sweep');
  assert.ok(existsSync(join(blobs, id, hash)));

  const { create, append } = author('default', id);
  await Promise.all([damaged.commit(create({ title: 'Again' })), damaged.commit(append('one'))]);
  await damaged.close();
  const whole = sqlStore(directory);
  const { sessions, aside } = await whole.open(noResidents);
  assert.equal([sessions.map(({ title }) => title), aside], [['Again'], []]);
  assert.equal(texts(await whole.readMessages('default', id)), ['one']);
  assert.is(await whole.readImage('default', id, hash), 'AAEC');
  await whole.close();
});

test('the images that are being written meanwhile stay', async () => {
  const root = tempDirectory();
  const images = createImageFiles(systemFiles, root);
  const there = new Set(['ses_a', 'ses_b']);
  const sweep = () => images.sweep({ isThere: (id) => there.has(id), goesOn: () => true });
  const put = (id: string, at: number) => images.put(id, Buffer.from(`${id} ${at}`).toString('base64'));
  const hashes = new Map<string, string>();
  await put('ses_c', 0);
  for (let round = 0; round < 20; round++) {
    const sweeping = sweep();
    // One that came into being while its leftovers were being removed.
    if (round === 10) there.add('ses_c');
    const ids = [...there];
    const stored = await Promise.all(ids.map((id) => put(id, round)));
    for (const [index, { hash }] of stored.entries()) hashes.set(hash, ids[index] ?? '');
    await sweeping;
  }
  assert.ok(hashes.size > 40);
  for (const [hash, id] of hashes) assert.ok(await images.read(id, hash), `${id} ${hash}`);
});

test.run();
