import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { handlers } from '../../host/routes.ts';
import { type Listening, serve } from '../../host/serve.ts';
import { type Clock, systemClock } from '../../lib/base/clock.ts';
import { createClient } from '../../lib/client/index.ts';
import { createRouter } from '../../lib/http/router.ts';
import { limits } from '../../lib/wire/limits.ts';
import { openEventStream } from '../helpers/event-stream.ts';
import { type Nginx, nginxMissing, startNginx } from '../helpers/nginx.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { createTestApp, type TestApp } from '../helpers/test-app.ts';
import { only } from '../helpers/with-app.ts';
import { within } from '../helpers/within.ts';

const test = suite('Behind nginx as Debian configures it');

/** Fifty times faster: a heartbeat every 0.3 s, so that nginx's 60 s of patience can be 1 s here. */
const speed = 50;
const fastClock: Clock = { ...systemClock, after: (ms, fn) => systemClock.after(ms / speed, fn) };
const patience = '1s';

interface World {
  app: TestApp;
  listening: Listening;
  nginx: Nginx;
  /** Lets the next delta of the model out. */
  next(): void;
}
let world: World;

test.before(async () => {
  let letOut = (): void => {};
  const model = scriptedModel(
    Array.from({ length: 10 }, () => async (_request, io) => {
      for (const word of ['one ', 'two ', 'three ']) {
        io.onDelta('text', word);
        await new Promise<void>((resolve) => {
          letOut = resolve;
        });
      }
      return { content: 'one two three ' };
    }),
  );
  const app = await createTestApp({ models: [model], clock: fastClock });
  const listening = await serve(createRouter(handlers, app.app), app.app, { host: '127.0.0.1', port: 0 });
  const service = `http://127.0.0.1:${listening.port}/`;
  const nginx = await startNginx(`
    proxy_read_timeout ${patience};
    gzip_types text/event-stream application/json;
    gzip_proxied any;
    gzip_min_length 0;
    location /http10/ { proxy_pass ${service}; }
    location /http11/ { proxy_pass ${service}; proxy_http_version 1.1; proxy_set_header Connection ""; }
    location /deaf/ { proxy_pass ${service}; proxy_ignore_headers X-Accel-Buffering; }
    location /hasty/ { proxy_pass ${service}; proxy_read_timeout 100ms; }`);
  world = { app, listening, nginx, next: () => letOut() };
});

test.after(async () => {
  await world.nginx.close();
  await world.listening.close(0);
  await world.app.close();
});

for (const prefix of ['http10', 'http11']) {
  test(`deltas arrive live under a stripped prefix, compressed or not (${prefix})`, async () => {
    const client = createClient({ baseUrl: `${world.nginx.url}/${prefix}` });
    for (const encoding of ['gzip', 'identity']) {
      const { session } = await client.createSession({});
      const stream = await openEventStream(`${world.nginx.url}/${prefix}/api/sessions/${session.id}/events`, {
        headers: { 'accept-encoding': encoding },
      });
      assert.is(stream.response.headers.get('content-encoding'), encoding === 'gzip' ? 'gzip' : null);
      await client.sendMessage(session.id, { content: 'go' });
      for (const word of ['one ', 'two ', 'three ']) {
        // The model is held behind this word: it is here before there is anything more.
        await stream.until((event) => event.type === 'message.delta' && event.delta === word);
        world.next();
      }
      await stream.until('run.finished');
      await stream.close();
    }
  });

  test(`an idle stream outlives the patience of nginx (${prefix})`, async () => {
    const { id } = await world.app.newSession();
    const stream = await openEventStream(`${world.nginx.url}/${prefix}/api/sessions/${id}/events`);
    await stream.when(() => stream.comments.length >= 10, { ms: 15_000, what: 'ten heartbeats' });
    await world.app.call('PATCH', `/api/sessions/${id}`, { body: { title: 'Still here' } });
    const [updated] = only(
      (await stream.until('session.updated')).map(({ event }) => event),
      'session.updated',
    );
    assert.is(updated?.session.title, 'Still here');
    await stream.close();
  });
}

test('a stream without heartbeats in time is cut, so the test above can fail', async () => {
  const { id } = await world.app.newSession();
  const stream = await openEventStream(`${world.nginx.url}/hasty/api/sessions/${id}/events`);
  await within(5_000, stream.ended);
});

test('without x-accel-buffering nginx would hold the deltas back', async () => {
  const { id } = await world.app.newSession();
  const path = `api/sessions/${id}/events`;
  const live = await openEventStream(`${world.nginx.url}/http11/${path}`);
  const held: string[] = [];
  const abort = new AbortController();
  const deaf = fetch(`${world.nginx.url}/deaf/${path}`, { signal: abort.signal })
    .then(async ({ body }) => {
      for await (const bytes of body ?? []) held.push(Buffer.from(bytes).toString());
    })
    .catch(() => {});
  await world.app.call('POST', `/api/sessions/${id}/messages`, { status: 202, body: { content: 'go' } });
  await live.until('message.delta');
  const beats = live.comments.length + 2;
  await live.when(() => live.comments.length >= beats);
  assert.not.match(held.join(''), /message\.delta/);
  abort.abort();
  await deaf;
  await live.close();
  await world.app.call('POST', `/api/sessions/${id}/cancel`, {});
});

test('a client that leaves nginx leaves the service', async () => {
  const { id } = await world.app.newSession();
  const { events } = world.app.app;
  const { subscribe } = events;
  const closed = new Promise<void>((resolve) => {
    events.subscribe = (subscription) => {
      const cursor = subscribe.call(events, subscription);
      const { close } = cursor;
      cursor.close = () => {
        close.call(cursor);
        resolve();
      };
      return cursor;
    };
  });
  const stream = await openEventStream(`${world.nginx.url}/http11/api/sessions/${id}/events`);
  events.subscribe = subscribe;
  await stream.close();
  await within(5_000, closed, 'the end of the subscription');
});

test('messages up to the body limit and errors pass unchanged', async () => {
  const client = createClient({ baseUrl: `${world.nginx.url}/http11` });
  const { session } = await client.createSession({});
  const answer = await fetch(`${world.nginx.url}/http11/api/sessions/${session.id}/messages`, {
    method: 'POST',
    body: JSON.stringify({ content: 'x'.repeat(200_001) }),
  });
  assert.is(answer.status, 413);
  assert.is(((await answer.json()) as { error: { code: string } }).error.code, 'message_too_large');
});

const heartbeat = suite('The heartbeat');

heartbeat('comes several times within the 60 s that nginx waits by default', () => {
  assert.ok(limits.heartbeatMs * 3 < 60_000);
});

heartbeat.run();
const missing = nginxMissing();
if (missing === undefined) test.run();
else console.log(`SKIPPED the tests behind a proxy: ${missing}`);
