import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { copyOf, crashAfter, crashedDirectory, flip, segmentIn, segmentNames, snapshotOf } from './crash-rig.ts';
import { withStore } from './file-rig.ts';
import { author, texts } from './sample.ts';

const test = suite('damage to the log costs what it hit and nothing else');

test('a record that was cut short at any byte is dropped, and nothing before it', async () => {
  const session = author();
  const crashed = await crashAfter(async (store) => {
    await store.commit(session.create());
    await store.commit(session.append('kept'));
  });
  const before = (await readFile(segmentIn(crashed))).length;
  const whole = await crashAfter(async (store) => {
    await store.commit(session.append('torn'));
  }, crashed);
  const segments = await segmentNames(whole);
  const last = join(whole, 'log', segments.at(-1) ?? '');
  const length = (await readFile(last)).length;
  assert.ok(segments.length === 2 && before > 0);
  for (let at = 0; at < length - 1; at++) {
    const copy = await copyOf(whole);
    await truncate(join(copy, 'log', segments.at(-1) ?? ''), at);
    await withStore(copy, async (store, { sessions, findings }) => {
      assert.equal(texts(await store.readMessages('default', session.id)), ['kept'], `cut at ${at}`);
      assert.is(sessions[0]?.revision, 2);
      const onlyHeader = at === 0 || findings.length === 0;
      assert.ok(onlyHeader || findings.length === 1, `findings at ${at}`);
      await store.commit({ ...session.append('next'), revision: 3 });
      assert.equal(texts(await store.readMessages('default', session.id)), ['kept', 'next']);
      session.undo();
    });
    await rm(copy, { recursive: true });
  }
});

test('a flipped byte anywhere in a record quarantines its session and no other', async () => {
  const [first, damaged, last] = [author(), author(), author()];
  const crashed = await crashAfter(async (store) => {
    for (const each of [first, damaged, last]) await store.commit(each.create());
    await store.commit(first.append('one'));
    await store.commit(damaged.append('THE DAMAGED RECORD'));
    await store.commit(first.append('two'));
    await store.commit(last.append('three'));
  });
  const bytes = await readFile(segmentIn(crashed));
  const middle = bytes.indexOf('THE DAMAGED RECORD');
  const start = bytes.lastIndexOf('\n', middle) + 1;
  const end = bytes.indexOf('\n', middle);
  for (let at = start; at <= end; at += 7) {
    const copy = await copyOf(crashed);
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ 0x01;
    await writeFile(segmentIn(copy), flipped);
    await withStore(copy, async (store, { sessions, findings }) => {
      const ids = sessions.map(({ id }) => id).sort();
      assert.equal(ids, [first.id, last.id].sort(), `flipped at ${at - start}: ${findings.join(' ')}`);
      assert.equal(texts(await store.readMessages('default', first.id)), ['one', 'two']);
      assert.equal(texts(await store.readMessages('default', last.id)), ['three']);
      assert.ok(findings.some((finding) => finding.includes(damaged.id)));
    });
    assert.match(await readFile(join(copy, 'quarantine', damaged.id, 'reason.txt'), 'utf8'), damaged.id);
    await withStore(copy, async (store, { sessions }) => {
      assert.is(sessions.length, 2);
      assert.equal(texts(await store.readMessages('default', first.id)), ['one', 'two']);
    });
    await rm(copy, { recursive: true });
  }
});

test('damage that makes the id of a new session that of an older one harms the new one alone', async () => {
  const [older, damaged] = [author(), author()];
  const crashed = await crashAfter(async (store) => {
    await store.commit(older.create());
    await store.commit(older.append('one'));
    await store.commit(damaged.create());
    await store.commit(damaged.append('two'));
  });
  const text = await readFile(segmentIn(crashed), 'utf8');
  const owner = (id: string) => `"session":"${id}","check"`;
  await writeFile(segmentIn(crashed), text.replace(owner(damaged.id), owner(older.id)));
  await withStore(crashed, async (store, { sessions, findings }) => {
    assert.equal(
      sessions.map(({ id }) => id),
      [older.id],
      findings.join(' '),
    );
    assert.equal(texts(await store.readMessages('default', older.id)), ['one']);
    assert.ok(findings.some((finding) => finding.includes(damaged.id)));
  });
});

test('images of a session of which no record can be read are set aside, those of a deleted one go', async () => {
  const [kept, damaged, gone] = [author(), author(), author()];
  const crashed = await crashAfter(async (store) => {
    for (const each of [kept, damaged, gone]) await store.commit(each.create({ title: `Title of ${each.id}` }));
    for (const each of [kept, damaged]) await store.putImage('default', each.id, 'AAEC');
    await store.commit(gone.remove());
    await store.commit(kept.append('one'));
  });
  const bytes = await readFile(segmentIn(crashed));
  await writeFile(segmentIn(crashed), flip(bytes, bytes.indexOf(`Title of ${damaged.id}`)));
  await mkdir(join(crashed, 'blobs', gone.id), { recursive: true });
  await writeFile(join(crashed, 'blobs', gone.id, 'a'.repeat(64)), 'to go');
  await withStore(crashed, async (_store, { sessions, incomplete }) => {
    assert.equal([sessions.map(({ id }) => id), incomplete], [[kept.id], true]);
  });
  assert.equal(await readdir(join(crashed, 'blobs')), [kept.id]);
  assert.equal(await readdir(join(crashed, 'quarantine')), [damaged.id]);
  assert.is((await readdir(join(crashed, 'quarantine', damaged.id, 'blobs'))).length, 1);
});

test('a flipped byte in the very last record is damage too, not a torn write: its session is put aside, boot after boot', async () => {
  const [kept, damaged] = [author(), author()];
  const crashed = await crashAfter(async (store) => {
    for (const each of [kept, damaged]) await store.commit(each.create());
    await store.commit(kept.append('one'));
    await store.commit(damaged.append('THE LAST RECORD'));
  });
  const bytes = await readFile(segmentIn(crashed));
  const start = bytes.lastIndexOf('\n', bytes.indexOf('THE LAST RECORD')) + 1;
  const toNul = Buffer.from(bytes).fill(0, start + 8, start + 9);
  const flipped = Array.from({ length: 8 }, (_, index) => flip(bytes, start + index * 37));
  for (const [at, damage] of [...flipped, toNul].entries()) {
    const copy = await copyOf(crashed);
    await writeFile(segmentIn(copy), damage);
    for (const content of ['two', 'three']) {
      await withStore(copy, async (store, { sessions }) => {
        assert.equal(
          sessions.map(({ id }) => id),
          [kept.id],
          `variant ${at}, before ${content}`,
        );
        await store.commit(kept.append(content));
      });
    }
    await withStore(copy, async (store) =>
      assert.equal(texts(await store.readMessages('default', kept.id)), ['one', 'two', 'three']),
    );
    assert.match(await readFile(join(copy, 'quarantine', damaged.id, 'reason.txt'), 'utf8'), 'record 4 is damaged');
    kept.undo();
    kept.undo();
    await rm(copy, { recursive: true });
  }
  await writeFile(segmentIn(crashed), flip(bytes, bytes.length - 1));
  await withStore(crashed, async (store, { findings }) => {
    assert.equal(findings, []);
    assert.equal(texts(await store.readMessages('default', damaged.id)), ['THE LAST RECORD'], 'only its end was hit');
  });
});

test('a last record of which a sector is missing is a torn write, whatever of it arrived', async () => {
  const session = author();
  const crashed = await crashAfter(async (store) => {
    await store.commit(session.create());
    await store.commit(session.append('kept'));
    await store.commit(session.append('x'.repeat(3_000)));
  });
  const bytes = await readFile(segmentIn(crashed));
  const start = bytes.lastIndexOf('\n', bytes.length - 2) + 1;
  for (let sector = Math.ceil(start / 512); (sector + 1) * 512 < bytes.length; sector++) {
    const copy = await copyOf(crashed);
    await writeFile(segmentIn(copy), Buffer.from(bytes).fill(0, sector * 512, (sector + 1) * 512));
    await withStore(copy, async (store, { findings }) => {
      assert.equal(texts(await store.readMessages('default', session.id)), ['kept'], `sector ${sector}`);
      assert.match(findings.join(), /^A write to the log was cut short/);
    });
    await rm(copy, { recursive: true });
  }
});

test('a flipped byte in the last record of a segment is found though the log goes on in the next one', async () => {
  const [damaged, other] = [author(), author()];
  const crashed = await crashAfter(async (store) => {
    await store.commit(damaged.create());
    await store.commit(damaged.append('TO BE DAMAGED'));
  });
  const whole = await crashAfter(async (store) => {
    await store.commit(other.create());
    await store.commit(other.append('kept'));
  }, crashed);
  const bytes = await readFile(segmentIn(whole));
  await writeFile(segmentIn(whole), flip(bytes, bytes.indexOf('TO BE DAMAGED')));
  await withStore(whole, async (store, { sessions, findings }) => {
    assert.equal(
      sessions.map(({ id }) => id),
      [other.id],
    );
    assert.match(findings.join(), `Session ${damaged.id} is damaged (record 2 is damaged)`);
    assert.equal(texts(await store.readMessages('default', other.id)), ['kept']);
  });
});

test('damage to a record that a snapshot holds harms nobody', async () => {
  const session = author();
  const crashed = await crashAfter(async (store) => {
    await store.commit(session.create());
    await store.commit(session.append('IN THE SNAPSHOT'));
    await snapshotOf(crashedDirectory(store), session.id, 2);
    await store.commit(session.append('later'));
  });
  const bytes = await readFile(segmentIn(crashed));
  const at = bytes.indexOf('IN THE SNAPSHOT');
  bytes[at] = 0x21;
  await writeFile(segmentIn(crashed), bytes);
  await withStore(crashed, async (store, { sessions }) => {
    assert.is(sessions.length, 1);
    assert.equal(texts(await store.readMessages('default', session.id)), ['IN THE SNAPSHOT', 'later']);
  });
});

test('a snapshot that is torn itself makes up for nothing: its session is put aside', async () => {
  const session = author();
  const crashed = await crashAfter(async (store) => {
    await store.commit(session.create());
    await store.commit(session.append('IN THE SNAPSHOT'));
    await snapshotOf(crashedDirectory(store), session.id, 2);
  });
  const [log, snapshot] = [segmentIn(crashed), join(crashed, 'sessions', `${session.id}.json`)];
  const bytes = await readFile(log);
  await writeFile(log, flip(bytes, bytes.indexOf('IN THE SNAPSHOT')));
  await truncate(snapshot, (await readFile(snapshot)).length - 5);
  await withStore(crashed, async (_store, { sessions, findings }) => {
    assert.equal(sessions, []);
    assert.match(findings.join(), `Session ${session.id} is damaged`);
  });
});

test.run();
