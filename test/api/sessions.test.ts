import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { only, refusalOf, types, watch, withApp } from '../helpers/with-app.ts';

interface Listing {
  sessions: { id: string; title: string; updatedAt: string; usage: { totalTokens: number } }[];
}

const sessions = suite('Session routes');

sessions('POST creates an idle, empty session with defaults, also without a body', async () => {
  await withApp({ models: [scriptedModel()] }, async (app) => {
    for (const body of [undefined, '', '{}']) {
      const { session } = await app.call<{ session: Record<string, unknown> }>('POST', '/api/sessions', {
        status: 201,
        body,
      });
      const { id, createdAt, updatedAt, ...rest } = session;
      assert.match(String(id), /^ses_[0-9A-Z]{26}$/);
      assert.is(createdAt, updatedAt);
      assert.equal(rest, {
        title: 'New session',
        status: 'idle',
        model: 'scripted',
        messageCount: 0,
        workspace: app.workspace,
        usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
        messages: [],
        pendingApprovals: [],
        lastSeq: rest.lastSeq,
      });
    }
  });
});

sessions('POST refuses each field with its own code', async () => {
  await withApp({ models: [scriptedModel()] }, async (app) => {
    const refused = (body: unknown) => refusalOf(app, 'POST', '/api/sessions', body);
    assert.is(await refused('{'), '400 invalid_json');
    assert.is(await refused('[]'), '400 invalid_body');
    assert.is(await refused({ title: '  ' }), '400 invalid_title');
    assert.is(await refused({ title: 'x'.repeat(201) }), '400 invalid_title');
    assert.is(await refused({ model: 'nope' }), '400 invalid_model');
    assert.is(await refused({ model: 3 }), '400 invalid_model');
    assert.is(await refused({ systemPrompt: 3 }), '400 invalid_prompt');
    assert.is(await refused({ workspace: 'relative' }), '400 invalid_body');
    assert.is(await refused({ workspace: '/does/not/exist' }), '400 invalid_body');
    assert.is((await app.call<Listing>('GET', '/api/sessions', {})).sessions.length, 0);
  });
});

sessions('GET lists the most recently updated first, with cumulative usage', async () => {
  const clock = createFakeClock();
  await withApp({ models: [scriptedModel()], clock }, async (app) => {
    const ids: string[] = [];
    for (const title of ['a', 'b', 'c']) {
      clock.advance(1_000);
      ids.push((await app.newSession({ title })).id);
    }
    clock.advance(1_000);
    const first = await watch(app, ids[0] ?? '');
    await first.send('hi');
    await first.until('run.finished');
    const listed = (await app.call<Listing>('GET', '/api/sessions', {})).sessions;
    assert.equal(
      listed.map((session) => session.title),
      ['a', 'c', 'b'],
    );
    assert.is(listed[0]?.usage.totalTokens, 15);
    assert.not.ok('messages' in (listed[0] ?? {}));
    await first.stream.close();
  });
});

sessions('the list stays sorted when the clock steps back', async () => {
  const clock = createFakeClock();
  await withApp({ models: [scriptedModel()], clock }, async (app) => {
    await app.newSession({ title: 'before' });
    clock.step(-3_600_000);
    const { id } = await app.newSession({ title: 'after' });
    const listed = (await app.call<Listing>('GET', '/api/sessions', {})).sessions;
    assert.equal(
      listed.map((session) => session.title),
      ['after', 'before'],
    );
    assert.ok((listed[0]?.updatedAt ?? '') >= (listed[1]?.updatedAt ?? 'x'));
    await app.call('PATCH', `/api/sessions/${id}`, { body: { title: 'again' } });
  });
});

sessions('PATCH sets title, model and system prompt and says so', async () => {
  const model = scriptedModel();
  await withApp(
    {
      models: [model, scriptedModel([], { id: 'second' })],
      settings: { agent: { systemPrompt: 'Be kind.' }, plugins: { directories: [] } },
    },
    async (app) => {
      const session = await watch(app, (await app.newSession()).id);
      await app.call('PATCH', session.path, { body: { title: ' Named ', systemPrompt: 'Speak Latin.' } });
      const [updated] = only(await session.until('session.updated'), 'session.updated');
      assert.is(updated?.session.title, 'Named');
      await session.send('hi');
      await session.until('run.finished');
      const system = model.requests[0]?.system ?? '';
      assert.ok(system.indexOf('Be kind.') > 0 && system.indexOf('Speak Latin.') > system.indexOf('Be kind.'));
      assert.is((await app.detail(session.id)).title, 'Named');
      await app.call('PATCH', session.path, { body: { model: 'second' } });
      assert.is((await app.detail(session.id)).model, 'second');
      assert.is(await refusalOf(app, 'PATCH', session.path, { model: 'nope' }), '400 invalid_model');
      assert.is(
        await refusalOf(app, 'PATCH', '/api/sessions/ses_00000000000000000000000000', { title: 'x' }),
        '404 session_not_found',
      );
      await session.stream.close();
    },
  );
});

sessions('PATCH answers 409 while a run is active', async () => {
  const model = scriptedModel([
    (_request, io) => new Promise((_, reject) => io.signal.addEventListener('abort', () => reject(io.signal.reason))),
  ]);
  await withApp({ models: [model] }, async (app) => {
    const session = await watch(app, (await app.newSession()).id);
    await session.send('hi');
    assert.is(await refusalOf(app, 'PATCH', session.path, { title: 'x' }), '409 session_busy');
    assert.is(await refusalOf(app, 'POST', `${session.path}/messages`, { content: 'x' }), '409 session_busy');
    assert.is(
      await refusalOf(app, 'POST', `${session.path}/rewind`, {
        messageId: (await app.detail(session.id)).messages[0]?.id,
      }),
      '409 session_busy',
    );
    assert.is(await refusalOf(app, 'POST', `${session.path}/resume`), '409 not_resumable');
    await app.call('POST', `${session.path}/cancel`, {});
    await session.until('run.finished');
    await session.stream.close();
  });
});

sessions('DELETE removes the session, ends its run and is its last event', async () => {
  const model = scriptedModel([
    (_request, io) => new Promise((_, reject) => io.signal.addEventListener('abort', () => reject(io.signal.reason))),
  ]);
  await withApp({ models: [model] }, async (app) => {
    const session = await watch(app, (await app.newSession()).id);
    await session.send('hi');
    await session.until('run.started');
    assert.is((await app.fetch(session.path, { method: 'DELETE' })).status, 204);
    assert.equal(types(await session.until('session.deleted')), ['session.deleted']);
    await session.stream.ended;
    assert.is(await refusalOf(app, 'GET', session.path), '404 session_not_found');
    assert.is(await refusalOf(app, 'DELETE', session.path), '404 session_not_found');
    assert.equal(await app.call('GET', '/api/sessions', {}), { sessions: [] });
    assert.is(app.app.runs.active, 0);
  });
});

sessions('messages are refused before anything changes', async () => {
  await withApp({ models: [scriptedModel()] }, async (app) => {
    const { id } = await app.newSession();
    const refused = (body: unknown) => refusalOf(app, 'POST', `/api/sessions/${id}/messages`, body);
    assert.is(await refused({}), '400 invalid_message');
    assert.is(await refused({ content: 7 }), '400 invalid_message');
    assert.is(await refused({ content: '' }), '400 invalid_message');
    assert.is(await refused({ content: 'x'.repeat(200_001) }), '413 message_too_large');
    assert.is(await refused({ content: '', images: 'x' }), '400 invalid_images');
    assert.is(await refused({ content: '', images: [{ mimeType: 'image/tiff', data: 'AAAA' }] }), '400 invalid_images');
    assert.is(await refused({ content: '', images: [{ mimeType: 'image/png', data: '!' }] }), '400 invalid_images');
    assert.is(
      await refused({
        content: '',
        images: Array.from({ length: 7 }, () => ({ mimeType: 'image/png', data: 'AAAA' })),
      }),
      '400 invalid_images',
    );
    assert.is(
      await refused({ content: '', images: [{ mimeType: 'image/png', data: 'A'.repeat(4 * 1024 * 1024 * 2) }] }),
      '413 payload_too_large',
    );
    assert.is((await app.detail(id)).messageCount, 0);
  });
});

sessions('a message of 200,000 characters and one of images alone are accepted', async () => {
  const model = scriptedModel();
  await withApp({ models: [model] }, async (app) => {
    const session = await watch(app, (await app.newSession()).id);
    await session.send('x'.repeat(200_000));
    await session.until('run.finished');
    const data = Buffer.from('a picture').toString('base64');
    await session.send('', {
      images: [{ mimeType: 'image/png', data: `data:image/png;base64,${data}`, name: 'p.png' }],
    });
    const seen = await session.until('run.finished');
    const [user] = only(seen, 'message.completed');
    assert.equal(user?.message.images, [{ mimeType: 'image/png', data, name: 'p.png' }]);
    assert.equal((await app.detail(session.id)).messages[2]?.images, [{ mimeType: 'image/png', data, name: 'p.png' }]);
    assert.equal(model.requests[1]?.messages.at(-1), {
      role: 'user',
      content: '',
      images: [{ mimeType: 'image/png', data, name: 'p.png' }],
    });
    assert.not.ok('images' in (model.requests[1]?.messages[0] ?? {}));
    await session.stream.close();
  });
});

sessions.run();
