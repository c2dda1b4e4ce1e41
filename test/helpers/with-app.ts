import * as assert from 'uvu/assert';
import type { SessionEvent } from '../../lib/wire/event.ts';
import type { EventStream } from './event-stream.ts';
import { createTestApp, type TestApp, type TestAppOptions } from './test-app.ts';
import { within } from './within.ts';

/** One session of a test app with its event stream. */
export interface TestSession {
  id: string;
  path: string;
  stream: EventStream;
  /** POSTs a message, expects 202. */
  send(content: string, more?: object): Promise<string>;
  /** The events up to and with the first of the type. */
  until(type: SessionEvent['type']): Promise<SessionEvent[]>;
}

/** The events of a turn that is one reply in one piece, from the message that starts it (contract: run lifecycle). */
export const plainTurn: readonly SessionEvent['type'][] = [
  'message.completed',
  'session.updated',
  'run.started',
  'message.started',
  'message.delta',
  'message.completed',
  'session.updated',
  'run.finished',
];

/** Runs `use` with a fresh service, 20 s at most, and closes it. */
export async function withApp(
  options: TestAppOptions,
  use: (app: TestApp) => Promise<void>,
  ms = 20_000,
): Promise<void> {
  const app = await createTestApp(options);
  try {
    await within(ms, use(app));
  } finally {
    await app.close();
  }
}

/** A fresh service with one session that is being watched. */
export function withSession(
  options: TestAppOptions,
  use: (app: TestApp, session: TestSession) => Promise<void>,
  ms?: number,
): Promise<void> {
  const run = async (app: TestApp): Promise<void> => {
    const session = await watch(app, (await app.newSession()).id);
    await use(app, session);
    await session.stream.close();
  };
  return withApp(options, run, ms);
}

export async function watch(app: TestApp, id: string): Promise<TestSession> {
  const path = `/api/sessions/${id}`;
  const stream = await app.events(`${path}/events`);
  return {
    id,
    path,
    stream,
    async send(content, more = {}) {
      const { runId } = await app.call<{ runId: string }>('POST', `${path}/messages`, {
        status: 202,
        body: { content, ...more },
      });
      return runId;
    },
    async until(type) {
      return (await stream.until(type)).map(({ event }) => event);
    },
  };
}

export function types(events: readonly SessionEvent[]): string[] {
  return events.map((event) => event.type);
}

/** The events of one type. */
export function only<T extends SessionEvent['type']>(
  events: readonly SessionEvent[],
  type: T,
): Extract<SessionEvent, { type: T }>[] {
  return events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type);
}

/** Status and code of a request that must be refused, for example `409 session_busy`; checks the envelope's header. */
export async function refusalOf(app: TestApp, method: string, path: string, body?: unknown): Promise<string> {
  const response = await app.fetch(path, {
    method,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  assert.is(response.headers.get('cache-control'), 'no-store');
  return `${response.status} ${error.code}`;
}
