import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pixel } from '../helpers/pixel.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { withApp, withSession } from '../helpers/with-app.ts';
import { eventually } from '../helpers/within.ts';
import { accounts, bearer, bootstrapToken, person, sessionOf } from '../tenancy/people.ts';

const gone = suite('Nothing begins for what is gone meanwhile');

for (const [what, end] of [
  ['deleted', (app: TestApp, path: string) => app.call('DELETE', path, { status: 204 })],
  ['cancelled', (app: TestApp, path: string) => app.call('POST', `${path}/cancel`, {})],
] as const)
  gone(`a tool of a run that is ${what} while its workspace is being opened`, async () => {
    const model = scriptedModel([{ toolCalls: [callOf('act')] }]);
    let executed = 0;
    const act = {
      name: 'act',
      description: 'Acts.',
      parameters: { type: 'object' },
      execute: () => `ran ${++executed}`,
    };
    await withSession({ models: [model], tools: [act] }, async (app, session) => {
      const opening = createGate();
      const { workspaces } = app.app;
      workspaces.open = opening.around(workspaces.open);
      await session.send('go');
      await eventually(2_000, () => opening.waiting > 0, 'the workspace being opened');
      await end(app, session.path);
      opening.release();
      await app.app.runs.stopAll();
      await new Promise((resolve) => setImmediate(resolve));
      assert.is(executed, 0);
    });
  });

for (const [what, end] of [
  ['deleted', (id: string) => ['DELETE', `/api/users/${id}`] as const],
  ['given a new token', (id: string) => ['POST', `/api/users/${id}/token`] as const],
] as const)
  gone(`a request of an account that is ${what} before the body has come`, () =>
    withApp({ env: accounts, models: [scriptedModel()] }, async (app) => {
      const ada = await person(app, { name: 'Ada', tenantId: 'a' });
      const { id } = await sessionOf(app, ada);
      const body = slowBody('{"content":"still here"}');
      const init = { method: 'POST', headers: ada.headers, body: body.stream, duplex: 'half' } as const;
      const sending = app.fetch(`/api/sessions/${id}/messages`, init);
      await eventually(2_000, () => body.isAwaited, 'the body being read');
      const [method, path] = end(ada.user.id);
      await app.call(method, path, { status: method === 'DELETE' ? 204 : 200, headers: bearer(bootstrapToken) });
      body.finish();
      const answer = await sending;
      assert.equal([answer.status, answer.headers.get('www-authenticate')], [401, 'Bearer']);
      assert.is(app.app.sessions.find('a', id)?.record.messageCount, 0);
    }),
  );

gone('a diagnosis of a session that is deleted while its images are looked at: it is gone, and not damaged', () =>
  withSession({ models: [scriptedModel()] }, async (app, session) => {
    await session.send('look', { images: [{ mimeType: 'image/png', data: pixel }] });
    await session.until('run.finished');
    const reading = createGate();
    const { store } = app.app;
    store.readImage = reading.around(store.readImage);
    const diagnosis = app.fetch(`${session.path}/diagnostics`);
    await eventually(2_000, () => reading.waiting > 0, 'the image being read');
    await app.call('DELETE', session.path, { status: 204 });
    reading.release();
    assert.is((await diagnosis).status, 404);
  }),
);

gone.run();

/** Holds every call of what it is put around until it is released. */
function createGate() {
  const gate = {
    waiting: 0,
    release: () => {},
    around:
      <Arguments extends unknown[], Result>(call: (...given: Arguments) => Promise<Result>) =>
      async (...given: Arguments): Promise<Result> => {
        gate.waiting += 1;
        await released;
        return call(...given);
      },
  };
  const released = new Promise<void>((resolve) => {
    gate.release = resolve;
  });
  return gate;
}

/** A body whose second half comes when it is told to. */
function slowBody(text: string) {
  const encoder = new TextEncoder();
  let finish = (): void => {};
  const body = {
    isAwaited: false,
    finish: () => finish(),
    stream: new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          if (!body.isAwaited) {
            body.isAwaited = true;
            controller.enqueue(encoder.encode(text.slice(0, 5)));
            return;
          }
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          controller.enqueue(encoder.encode(text.slice(5)));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    ),
  };
  return body;
}
