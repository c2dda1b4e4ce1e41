import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { within } from '../helpers/within.ts';
import { author, sampleMessage, texts } from './sample.ts';

export interface StoreUnderTest {
  store: SessionStore;
  /** Closes and opens the same data again. Undefined for a driver that keeps nothing. */
  reopen?: () => Promise<SessionStore>;
  dispose: () => Promise<void>;
}

/** What every session store must do (contract: storage; two drivers, one contract test). */
export function sessionStoreContract(driver: string, begin: () => Promise<StoreUnderTest>): void {
  const test = suite(`a session store keeps what was committed (${driver})`);
  const check = (name: string, body: (subject: StoreUnderTest) => Promise<void>): void => {
    test(name, async () => {
      const subject = await begin();
      try {
        await subject.store.open(noResidents);
        await within(20_000, body(subject));
      } finally {
        await subject.dispose();
      }
    });
  };

  check('a created session is there with no messages', async ({ store }) => {
    const session = author();
    await store.commit(session.create());
    assert.equal(await store.readMessages('default', session.id), []);
  });

  check('messages come back in the order of their commits, with every field', async ({ store }) => {
    const session = author();
    const message = sampleMessage('with everything', {
      role: 'assistant',
      reasoning: 'because',
      toolCalls: [{ id: 'call_1', name: 'read', arguments: { path: 'a', deep: [1, null, { b: true }] } }],
      images: [{ mimeType: 'image/png', hash: 'ab'.repeat(32), bytes: 3, name: 'dot' }],
      isError: false,
      hidden: true,
      meta: { key: 'value' },
    });
    await store.commit(session.create());
    await store.commit(session.append('first'));
    await store.commit(session.append(message, 'third'));
    const messages = await store.readMessages('default', session.id);
    assert.equal(texts(messages), ['first', 'with everything', 'third']);
    assert.equal(messages[1], message);
  });

  check('commits made at once keep the order of the calls', async ({ store }) => {
    const session = author();
    const commits = [session.create(), ...Array.from({ length: 50 }, (_, index) => session.append(`${index}`))];
    await Promise.all(commits.map((commit) => store.commit(commit)));
    const expected = Array.from({ length: 50 }, (_, index) => `${index}`);
    assert.equal(texts(await store.readMessages('default', session.id)), expected);
  });

  check('a truncation keeps the first messages', async ({ store }) => {
    const session = author();
    for (const commit of [session.create(), session.append('a', 'b', 'c'), session.truncate(1), session.append('d')])
      await store.commit(commit);
    assert.equal(texts(await store.readMessages('default', session.id)), ['a', 'd']);
  });

  check('a compaction puts the summary in the place of the oldest messages', async ({ store }) => {
    const session = author();
    for (const commit of [
      session.create(),
      session.append('a', 'b', 'c'),
      session.compact(2, 'sum'),
      session.append('d'),
    ])
      await store.commit(commit);
    assert.equal(texts(await store.readMessages('default', session.id)), ['sum', 'c', 'd']);
  });

  check('a deleted session can not be read any more, nor its images', async ({ store }) => {
    const session = author();
    await store.commit(session.create());
    const { hash } = await store.putImage('default', session.id, 'AAEC');
    await store.commit(session.remove());
    await rejects(store.readMessages('default', session.id));
    assert.is(await store.readImage('default', session.id, hash), undefined);
  });

  check('a session that never was can not be read', async ({ store }) => {
    await rejects(store.readMessages('default', author().id));
  });

  check(
    'an image of a session that is not there is refused, one of a session that is being created is not',
    async ({ store }) => {
      const [session, gone, never] = [author(), author(), author()];
      const created = store.commit(session.create());
      const { hash } = await store.putImage('default', session.id, 'AAEC');
      await created;
      assert.is(await store.readImage('default', session.id, hash), 'AAEC');
      await store.commit(gone.create());
      await store.commit(gone.remove());
      for (const { id } of [gone, never])
        assert.match((await rejects(store.putImage('default', id, 'AAEC'))).message, 'is not in the store');
    },
  );

  check('an image comes back by its hash, byte for byte, and only to its session', async ({ store }) => {
    const [session, other] = [author(), author()];
    await store.commit(session.create());
    await store.commit(other.create());
    const data = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256)).toString('base64');
    const [first, second] = await Promise.all([
      store.putImage('default', session.id, data),
      store.putImage('default', session.id, data),
    ]);
    assert.equal(first, second);
    assert.is(first.bytes, 100_000);
    assert.match(first.hash, /^[0-9a-f]{64}$/);
    assert.is(await store.readImage('default', session.id, first.hash), data);
    assert.is(await store.readImage('default', other.id, first.hash), undefined);
    assert.is(await store.readImage('default', session.id, '0'.repeat(64)), undefined);
    assert.is(await store.readImage('default', session.id, '../../index.json'), undefined);
  });

  check('a small value of the service is replaced as a whole', async ({ store }) => {
    assert.is(await store.readMeta('mark'), undefined);
    await store.writeMeta('mark', '1');
    await Promise.all(['2', '3', '4'].map((value) => store.writeMeta('mark', value)));
    assert.is(await store.readMeta('mark'), '4');
  });

  for (const [name, text] of Object.entries(textCorpus))
    check(`text survives unchanged: ${name}`, async ({ store, reopen }) => {
      const session = author();
      await store.commit(session.create({ title: text.slice(0, 200) }));
      await store.commit(session.append(text));
      await store.flush();
      assert.ok(texts(await store.readMessages('default', session.id))[0] === text);
      if (!reopen) return;
      const again = await reopen();
      const { sessions } = await again.open(noResidents);
      assert.ok(sessions[0]?.title === text.slice(0, 200));
      assert.ok(texts(await again.readMessages('default', session.id))[0] === text);
    });

  check('everything is there again after a restart', async ({ store, reopen }) => {
    if (!reopen) return;
    const [kept, changed, gone, foreign] = [author(), author(), author(), author('acme')];
    for (const each of [kept, changed, gone, foreign]) await store.commit(each.create());
    await store.commit(kept.append('one', 'two'));
    await store.commit(changed.append('a', 'b', 'c'));
    await store.commit(changed.truncate(1));
    await store.commit(changed.update({ title: 'Renamed', status: 'running' }));
    await store.commit(foreign.append('theirs'));
    await store.commit(gone.remove());
    const { hash } = await store.putImage('acme', foreign.id, 'AAEC');
    await store.writeMeta('mark', '7');

    const again = await reopen();
    const { sessions, findings } = await again.open(noResidents);
    assert.equal(findings, []);
    const ids = sessions.map(({ id }) => id).sort();
    assert.equal(ids, [kept.id, changed.id, foreign.id].sort());
    const record = sessions.find(({ id }) => id === changed.id);
    assert.is(record?.title, 'Renamed');
    assert.is(record?.status, 'running');
    assert.is(record?.revision, changed.revision());
    assert.is(sessions.find(({ id }) => id === foreign.id)?.tenantId, 'acme');
    assert.equal(texts(await again.readMessages('default', kept.id)), ['one', 'two']);
    assert.equal(texts(await again.readMessages('default', changed.id)), ['a']);
    assert.equal(texts(await again.readMessages('acme', foreign.id)), ['theirs']);
    assert.is(await again.readImage('acme', foreign.id, hash), 'AAEC');
    assert.is(await again.readMeta('mark'), '7');
    await rejects(again.readMessages('default', gone.id));
    await again.commit(kept.append('three'));
    assert.equal(texts(await again.readMessages('default', kept.id)), ['one', 'two', 'three']);
  });

  check('a store may be flushed and closed more than once', async ({ store }) => {
    await store.commit(author().create());
    await store.flush();
    await store.flush();
    await store.close();
    await store.close();
  });

  check('a store that was closed says so to whoever asks', async ({ store, reopen }) => {
    if (!reopen) return;
    const session = author();
    await store.commit(session.create());
    await store.close();
    for (const refused of [store.commit(session.append('late')), store.readMessages('default', session.id)])
      assert.is(await refused.catch((error: Error) => error.name), 'StoreClosed');
  });

  test.run();
}

export const noResidents = { resident: () => undefined };

const textCorpus = {
  NUL: 'a\0b',
  'a lone high surrogate': 'a\ud83d',
  'a lone low surrogate': '\udc00b',
  'four-byte characters': '🜁👩‍👩‍👧‍👦𝔘',
  'right to left': 'שלום \u202eمرحبا\u202c',
  'line ends and separators': 'a\r\nb\u2028c\u2029d\u0085e',
  'what looks like a log record': '00000000 {"lsn":1,"durable":0,"session":"ses_0"}\n],"crc32":"00000000"}',
  '200,000 characters': 'é'.repeat(200_000),
};

export async function rejects(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    assert.instance(error, Error);
    return error as Error;
  }
  throw new Error('It was expected to be refused.');
}
