import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { only, refusalOf, watch, withApp } from '../helpers/with-app.ts';

const rewind = suite('POST /api/sessions/:id/rewind');

rewind('drops the user message and what follows, and tells everybody', async () => {
  const model = scriptedModel();
  await withApp({ models: [model] }, async (app) => {
    const session = await watch(app, (await app.newSession()).id);
    for (const text of ['one', 'two']) {
      await session.send(text);
      await session.until('run.finished');
    }
    const before = await app.detail(session.id);
    const [one, reply, two] = before.messages;
    assert.is(
      await refusalOf(app, 'POST', `${session.path}/rewind`, { messageId: reply?.id }),
      '400 invalid_rewind_target',
    );
    assert.is(
      await refusalOf(app, 'POST', `${session.path}/rewind`, { messageId: 'msg_nope' }),
      '404 message_not_found',
    );
    const rewound = await app.call<Record<string, unknown>>('POST', `${session.path}/rewind`, {
      body: { messageId: two?.id, restoreFiles: false },
    });
    assert.equal(rewound, {
      messageId: two?.id,
      removed: 2,
      messages: [one, reply],
      restored: null,
      safety: null,
      warning: null,
    });
    const [event] = only(await session.until('session.rewound'), 'session.rewound');
    assert.equal(event?.messages, [one, reply]);
    const after = await app.detail(session.id);
    assert.equal([after.messageCount, after.usage], [2, before.usage]);
    const withFiles = await app.call<Record<string, unknown>>('POST', `${session.path}/rewind`, {
      body: { messageId: one?.id },
    });
    assert.match(String(withFiles.warning), /Files were left alone/);
    await session.stream.close();
  });
});

rewind('answers 409 session_busy while a run is active, whatever message is named', async () => {
  const model = scriptedModel([
    (_request, io) => new Promise((_, reject) => io.signal.addEventListener('abort', () => reject(io.signal.reason))),
  ]);
  await withApp({ models: [model] }, async (app) => {
    const session = await watch(app, (await app.newSession()).id);
    await session.send('go');
    const [sent] = (await app.detail(session.id)).messages;
    for (const messageId of [sent?.id, 'msg_nope'])
      assert.is(await refusalOf(app, 'POST', `${session.path}/rewind`, { messageId }), '409 session_busy');
    await app.call('POST', `${session.path}/cancel`, {});
    await session.until('run.finished');
    assert.is(
      await refusalOf(app, 'POST', `${session.path}/rewind`, { messageId: 'msg_nope' }),
      '404 message_not_found',
    );
    await session.stream.close();
  });
});

rewind.run();
