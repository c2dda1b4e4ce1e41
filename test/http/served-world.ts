import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import consoleFile from '../../handlers/static/console.ts';
import { type Listening, serve } from '../../host/serve.ts';
import type { App } from '../../lib/app.ts';
import type { AuthMode } from '../../lib/auth/principal.ts';
import type { EventCursor, Subscription } from '../../lib/events/event-bus.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { lastEventId } from '../../lib/http/last-event-id.ts';
import { json } from '../../lib/http/respond.ts';
import { createRouter } from '../../lib/http/router.ts';
import { eventStream } from '../../lib/http/sse.ts';
import { CreateSessionRequest } from '../../lib/wire/requests.ts';
import { fakeApp } from '../helpers/fake-app.ts';

export interface World {
  app: App;
  listening: Listening;
  url: string;
  /** How many cursors are open, and what each one ever opened has given. */
  cursors: { open: number; taken: number[] };
}

const events = endpoint('GET /api/sessions/:id/events', {
  access: 'user',
  handle({ app, request, url, params, principal, signal }) {
    const { tenantId } = principal;
    const cursor = app.events.subscribe({ tenantId, sessionId: params.id, after: lastEventId(request, url) });
    return eventStream({ app, principal, cursor, signal });
  },
});
const handlers = [
  endpoint('GET /api/health', { access: 'public', handle: () => json({ status: 'ok' }) }),
  endpoint('POST /api/sessions', {
    access: 'user',
    body: CreateSessionRequest,
    handle: ({ body }) => json({ title: body.title ?? null }, 201),
  }),
  endpoint('POST /api/wait', {
    access: 'user',
    body: CreateSessionRequest,
    async handle({ signal }) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return json({ aborted: signal.aborted });
    },
  }),
  endpoint('DELETE /api/sessions/:id', { access: 'user', handle: () => new Response(null, { status: 204 }) }),
  events,
  consoleFile,
];

/** The handlers on a real socket; `root` is the folder of the console. */
export async function start(root: string, mode: AuthMode = 'none', clock?: App['clock']): Promise<World> {
  const { app } = fakeApp({ mode, server: { webRoot: root, bodyLimitBytes: 1_000 }, ...(clock ? { clock } : {}) });
  const cursors: World['cursors'] = { open: 0, taken: [] };
  const { subscribe } = app.events;
  app.events.subscribe = (subscription: Subscription): EventCursor => {
    const cursor = subscribe.call(app.events, subscription);
    const { close, take } = cursor;
    const index = cursors.taken.push(0) - 1;
    cursors.open++;
    cursor.take = (maxBytes) => {
      const text = take.call(cursor, maxBytes);
      if (typeof text === 'string') cursors.taken[index] = (cursors.taken[index] ?? 0) + text.length;
      return text;
    };
    cursor.close = () => {
      if (!cursor.ended) cursors.open--;
      close.call(cursor);
    };
    return cursor;
  };
  const listening = await serve(createRouter(handlers, app), app, { host: '127.0.0.1', port: 0 });
  return { app, listening, url: `http://127.0.0.1:${listening.port}`, cursors };
}

/** A folder with what a console has, and with what must never be served. */
export async function consoleFolder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'console-'));
  await writeFile(join(root, 'index.html'), '<h1>console</h1>');
  await writeFile(join(root, 'app.js'), 'export {};');
  await writeFile(join(root, '.env'), 'SECRET=1');
  await mkdir(join(root, 'assets'));
  await symlink('/etc/passwd', join(root, 'passwd.txt'));
  return root;
}

export const codeOf = (answer: string) => `${answer.split(' ')[1]} ${/"code":"(\w+)"/.exec(answer)?.[1]}`;
