import type { ServerEventEnvelope } from '../wire/event.ts';
import type { PluginEvent } from '../wire/plugin.ts';
import type { Send } from './connection.ts';
import { followStream } from './follow-stream.ts';

export interface EventsOptions {
  /** One session; without it every session the caller may see. */
  sessionId?: string | undefined;
  /** The `seq` after which to begin; 0 means everything the service still has. Without it: from now on. */
  after?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Silence after which the connection counts as dead, default 40 s. The service pings every 15 s. */
  silenceMs?: number;
  /** The stream stands. Called again after every reconnect, with the count. */
  onOpen?: (times: number) => void;
}

/**
 * The events, in order, over as many connections as it takes; each once. A `stream.gap` event says that some are lost:
 * read the session again then. Ends when `signal` aborts or the followed session was deleted. Throws ApiError when the
 * service refuses (401, 404).
 */
export async function* readEvents(
  send: Send,
  { sessionId, after, ...options }: EventsOptions = {},
): AsyncGenerator<ServerEventEnvelope, void, undefined> {
  const path = sessionId === undefined ? '/api/events' : `/api/sessions/${encodeURIComponent(sessionId)}/events`;
  for await (const { data } of followStream(send, { ...options, path, after: after?.toString() })) {
    const envelope = JSON.parse(data) as ServerEventEnvelope;
    yield envelope;
    if (sessionId !== undefined && envelope.event.type === 'session.deleted') return;
  }
}

/**
 * The plugin stream: `ready`, then `plugins.changed` for every save while hot reload is on. `ready` comes again after a
 * reconnect.
 */
export async function* readPluginEvents(
  send: Send,
  options: Pick<EventsOptions, 'signal' | 'silenceMs'> = {},
): AsyncGenerator<PluginEvent, void, undefined> {
  for await (const { data } of followStream(send, { ...options, path: '/api/plugins/events' }))
    yield JSON.parse(data) as PluginEvent;
}
