import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createMiddleware } from '@hattip/adapter-node/native-fetch';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import createSession from '../../handlers/sessions/create.ts';
import { handlers } from '../../host/routes.ts';
import { createClient } from '../../lib/client/index.ts';
import { createFetch } from '../../lib/http/create-fetch.ts';
import type { SessionDetail } from '../../lib/wire/session.ts';
import { readEventStream } from '../helpers/event-stream.ts';
import { errorOf } from '../helpers/invoke.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { withApp } from '../helpers/with-app.ts';
import { within } from '../helpers/within.ts';

const test = suite('The service as one function from a Request to its Response');

const to = (path: string, init?: RequestInit) => new Request(new URL(path, 'http://service.internal'), init);

test('one handler alone is a whole server of its route', () =>
  withApp({}, async ({ app }) => {
    const fetch = createFetch([createSession], app);
    const created = await fetch(to('/api/sessions', { method: 'POST', body: '{"title":"Alone"}' }));
    assert.is(created.status, 201);
    assert.is(((await created.json()) as { session: SessionDetail }).session.title, 'Alone');
    assert.is((await fetch(to('/api/sessions', { method: 'OPTIONS' }))).status, 204);
    const wrong = await fetch(to('/api/sessions'));
    assert.equal([wrong.status, wrong.headers.get('allow')], [405, 'POST, OPTIONS']);
    assert.is((await errorOf(await fetch(to('/api/health')))).code, 'not_found');
  }));

test('a program talks to a service of its own process through the client, without a socket', () =>
  withApp({ models: [scriptedModel([{ content: 'Hello.' }])] }, async ({ app }) => {
    const fetch = createFetch(handlers, app);
    const client = createClient({ baseUrl: 'http://service', fetch: (url, init) => fetch(new Request(url, init)) });
    const { session } = await client.createSession();
    const { status, message } = await client.sendAndWait(session.id, 'hello');
    assert.equal([status, message?.content], ['completed', 'Hello.']);
  }));

test('a stream ends with the signal of its request, and when its body is cancelled', () =>
  withApp({}, async ({ app, newSession }) => {
    const fetch = createFetch(handlers, app);
    const path = `/api/sessions/${(await newSession()).id}/events`;
    const abort = new AbortController();
    const aborted = await fetch(to(path, { signal: abort.signal }));
    const cancelled = await fetch(to(path));
    assert.is(app.events.figures().subscribers, 2);
    await cancelled.body?.cancel();
    assert.is(app.events.figures().subscribers, 1);
    const stream = readEventStream(aborted, () => {});
    abort.abort();
    await within(5_000, stream.ended);
    assert.is(app.events.figures().subscribers, 0);
  }));

test('a stream ends with the signal of its request, also when nobody has kept the request', () =>
  withApp({}, async ({ app }) => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const abort = new AbortController();
    const answer = await createFetch(handlers, app)(to('/api/events', { signal: abort.signal }));
    const stream = readEventStream(answer);
    await stream.when(() => stream.retries.length > 0);
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    abort.abort();
    await within(5_000, stream.ended);
  }));

test('it serves behind an adapter that aborts the signal of a request as soon as its body was read', () =>
  withApp({ models: [scriptedModel([{ content: 'Hello.' }])] }, async ({ app }) => {
    const fetch = createFetch(handlers, app);
    const server = createServer(createMiddleware(({ request, ip }) => fetch(request, { ip })));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    const { session } = await client.createSession({ title: 'x'.repeat(100) });
    const { status } = await client.sendAndWait(session.id, 'hello');
    assert.is(status, 'completed');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }));

test('HEAD of a stream leaves no subscriber behind', () =>
  withApp({}, async ({ app }) => {
    const fetch = createFetch(handlers, app);
    const answer = await fetch(to('/api/events', { method: 'HEAD' }));
    assert.equal([answer.status, answer.body, app.events.figures().subscribers], [200, null, 0]);
  }));

test('two services in one process know nothing of each other', () =>
  withApp({ models: [scriptedModel()], env: { SERVICE_TOKEN: 'one' } }, (one) =>
    withApp({ models: [scriptedModel()] }, async (two) => {
      const [first, second] = [createFetch(handlers, one.app), createFetch(handlers, two.app)];
      assert.equal([(await first(to('/api/events'))).status, (await second(to('/api/sessions'))).status], [401, 200]);
      const headers = { authorization: 'Bearer one' };
      const events = readEventStream(await first(to('/api/events', { headers })));
      const { id } = await two.newSession();
      await two.call('POST', `/api/sessions/${id}/messages`, { status: 202, body: { content: 'hello' } });
      assert.is((await errorOf(await first(to(`/api/sessions/${id}`, { headers })))).code, 'session_not_found');

      const created = await first(to('/api/sessions', { method: 'POST', headers }));
      const { session } = (await created.json()) as { session: SessionDetail };
      await first(to(`/api/sessions/${session.id}/messages`, { method: 'POST', headers, body: '{"content":"hello"}' }));
      await events.until('run.finished');
      const seen = events.envelopes.map(({ event }) => ('sessionId' in event ? event.sessionId : undefined));
      assert.equal([...new Set(seen)], [session.id]);
      await events.close();
    }),
  ));

test.run();
