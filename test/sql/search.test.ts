import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionStore } from '../../lib/store/session-store.ts';
import type { SearchAnswer } from '../../lib/wire/search.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { watch, withApp } from '../helpers/with-app.ts';
import { fileStore } from '../store/file-rig.ts';
import { sqlStore } from './sql-rig.ts';

const drivers: Record<string, () => SessionStore> = {
  file: () => fileStore(tempDirectory()),
  sql: () => sqlStore(tempDirectory(), { durability: 'process' }),
};

async function find(app: TestApp, q: string, more = ''): Promise<SearchAnswer> {
  return app.call<SearchAnswer>('GET', `/api/search?q=${encodeURIComponent(q)}${more}`, {});
}

async function said(app: TestApp, title: string, contents: string[]): Promise<string> {
  const { id } = await app.newSession({ title });
  const session = await watch(app, id);
  for (const content of contents) {
    await session.send(content);
    await session.until('run.finished');
  }
  await session.stream.close();
  return id;
}

for (const [driver, store] of Object.entries(drivers)) {
  const test = suite(`a search finds what was said (${driver})`);

  test('in titles and messages, latest session first, with the place of the words', async () => {
    await withApp({ store: store(), models: [scriptedModel()] }, async (app) => {
      const garden = await said(app, 'Garden', ['Plant the Tulips, then\nwater them.', 'and more']);
      const tulips = await said(app, 'On tulips', ['nothing of the kind']);
      await said(app, 'Other', ['a\0b \ud83d unrelated']);
      const { results, truncated } = await find(app, 'tulip');
      assert.is(truncated, false);
      assert.equal(
        results.map(({ session, inTitle }) => [session.id, inTitle]),
        [
          [tulips, true],
          [garden, false],
        ],
      );
      const [match] = results[1]?.messages ?? [];
      assert.is(match?.snippet, 'Plant the Tulips, then\nwater them.');
      assert.equal(match?.highlights, [[10, 16]]);
      assert.is(match?.role, 'user');
      const both = await find(app, 'WATER plant');
      assert.equal(
        both.results.map(({ session }) => session.id),
        [garden],
      );
      assert.equal((await find(app, 'ulips')).results, []);
    });
  });

  test('in scripts of all kinds, and in what only looks different', async () => {
    await withApp({ store: store(), models: [scriptedModel()] }, async (app) => {
      const id = await said(app, 'x', [
        '今日は良い天気です',
        'Ünï ｆｕｌｌ ﬁne',
        'שלום עולם',
        `${'lorem '.repeat(2_000)}needle`,
      ]);
      for (const q of ['天気', 'ünï', 'FULL', 'fine', 'שלום', 'needle']) {
        const { results } = await find(app, q);
        assert.equal([q, results.map(({ session }) => session.id)], [q, [id]]);
      }
    });
  });

  test('as many as wanted, and says whether there are more', async () => {
    await withApp({ store: store(), models: [scriptedModel()] }, async (app) => {
      await said(app, 'first', ['nothing here']);
      await said(app, 'second', ['a needle']);
      await said(app, 'third', ['the other needle']);
      await said(app, 'last', ['nothing either']);
      for (const [limit, found, truncated] of [
        [1, 1, true],
        [2, 2, false],
        [3, 2, false],
      ] as const) {
        const answer = await find(app, 'needle', `&limit=${limit}`);
        assert.equal([answer.results.length, answer.truncated], [found, truncated]);
      }
    });
  });

  test('what was deleted or rewound is found no more', async () => {
    await withApp({ store: store(), models: [scriptedModel()] }, async (app) => {
      const kept = await said(app, 'kept', ['alpha first', 'alpha second']);
      const gone = await said(app, 'gone', ['alpha third']);
      await app.call('DELETE', `/api/sessions/${gone}`, { status: 204 });
      const { messages } = await app.detail(kept);
      await app.call('POST', `/api/sessions/${kept}/rewind`, { body: { messageId: messages[2]?.id } });
      const { results } = await find(app, 'alpha');
      assert.equal(
        results.map(({ session, messages }) => [session.id, messages.map(({ snippet }) => snippet)]),
        [[kept, ['alpha first']]],
      );
    });
  });

  test('a limit is kept and told', async () => {
    await withApp({ store: store(), models: [scriptedModel()] }, async (app) => {
      for (const number of [1, 2, 3]) await said(app, `title ${number}`, ['common word']);
      const { results, truncated } = await find(app, 'common', '&limit=2');
      assert.equal(
        results.map(({ session }) => session.title),
        ['title 3', 'title 2'],
      );
      assert.is(truncated, true);
    });
  });

  test('another tenant finds nothing of it', async () => {
    const settings = { auth: { mode: 'accounts', bootstrapToken: 'administrator-token-of-the-test' } };
    await withApp({ store: store(), models: [scriptedModel()], settings }, async (app) => {
      const admin = { authorization: 'Bearer administrator-token-of-the-test' };
      await app.call('POST', '/api/tenants', { status: 201, headers: admin, body: { name: 'Acme', id: 'acme' } });
      const user = { name: 'Ann', tenantId: 'acme' };
      const { token } = await app.call<{ token: string }>('POST', '/api/users', {
        status: 201,
        headers: admin,
        body: user,
      });
      await app.call('POST', '/api/sessions', { status: 201, headers: admin, body: { title: 'secret plan' } });
      const path = '/api/search?q=secret';
      assert.is((await app.call<SearchAnswer>('GET', path, { headers: admin })).results.length, 1);
      const theirs = { authorization: `Bearer ${token}` };
      assert.equal((await app.call<SearchAnswer>('GET', path, { headers: theirs })).results, []);
    });
  });

  test('a search without a word is refused', async () => {
    await withApp({ store: store() }, async (app) => {
      for (const query of ['', '?q=', '?q=%20%3F!', '?q=a&limit=0', `?q=${'a'.repeat(201)}`]) {
        const answer = await app.fetch(`/api/search${query}`);
        assert.is(answer.status, 400);
        assert.is(((await answer.json()) as { error: { code: string } }).error.code, 'invalid_body');
      }
    });
  });

  test.run();
}
