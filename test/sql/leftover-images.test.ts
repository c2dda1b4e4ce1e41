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

test('unfinished files and images of sessions that are not there; whole ones stay', async () => {
  const directory = tempDirectory();
  const store = sqlStore(directory);
  await store.open(noResidents);
  const session = author();
  await store.commit(session.create());
  const { hash } = await store.putImage('default', session.id, 'AAEC');
  await store.close();

  const blobs = join(directory, 'service.db/blobs');
  const unfinished = join(blobs, session.id, `${hash}.8a0b1c2d3e4f-1.tmp`);
  const orphan = join(blobs, 'ses_never_created');
  writeFileSync(unfinished, 'half');
  mkdirSync(orphan);
  writeFileSync(join(orphan, hash), 'whole');

  const again = sqlStore(directory);
  await again.open(noResidents);
  await eventually(10_000, () => !existsSync(unfinished) && !existsSync(orphan), 'the sweep');
  assert.is(await again.readImage('default', session.id, hash), 'AAEC');
  await again.close();
});

test('the images of a session whose record cannot be read stay with what is left of it', async () => {
  const directory = tempDirectory();
  const store = sqlStore(directory);
  await store.open(noResidents);
  const session = author();
  await store.commit(session.create());
  const { hash } = await store.putImage('default', session.id, 'AAEC');
  await store.close();
  const database = embeddedDatabase(directory);
  await database.query({ sql: "UPDATE sessions SET record = 'damaged'" });
  await database.close();
  const orphan = join(directory, 'service.db/blobs/ses_never_created');
  mkdirSync(orphan);

  const again = sqlStore(directory);
  assert.equal((await again.open(noResidents)).aside, [session.id]);
  await eventually(10_000, () => !existsSync(orphan), 'the sweep');
  assert.ok(existsSync(join(directory, 'service.db/blobs', session.id, hash)));
  await again.close();
});

test('a session whose record cannot be read may be imported again, and is whole after the next start', async () => {
  const directory = tempDirectory();
  const store = sqlStore(directory);
  await store.open(noResidents);
  const [session, again] = [author('default', 'ses_again'), author('default', 'ses_again')];
  await store.commit(session.create());
  await store.commit(session.append('one', 'two'));
  const { hash } = await store.putImage('default', session.id, 'AAEC');
  await store.close();
  const database = embeddedDatabase(directory);
  await database.query({ sql: "UPDATE sessions SET record = 'damaged'" });
  await database.close();

  const damaged = sqlStore(directory);
  await damaged.open(noResidents);
  await Promise.all([damaged.commit(again.create({ title: 'Again' })), damaged.commit(again.append('one'))]);
  await damaged.close();
  const whole = sqlStore(directory);
  const { sessions, aside } = await whole.open(noResidents);
  assert.equal([sessions.map(({ title }) => title), aside], [['Again'], []]);
  assert.equal(texts(await whole.readMessages('default', session.id)), ['one']);
  assert.is(await whole.readImage('default', session.id, hash), 'AAEC');
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
