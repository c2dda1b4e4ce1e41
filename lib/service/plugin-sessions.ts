import type { App } from '../app.ts';
import type { SendOptions, SessionRequest, SessionsService } from '../plugin-api/services.ts';
import type { Run, StopReason } from '../run/run.ts';
import { sessionView } from '../run/session-view.ts';
import type { Session } from '../session/session.ts';
import { ServiceError } from '../wire/errors.ts';
import { limits } from '../wire/limits.ts';
import { cancelRun } from './cancel-run.ts';
import { createSession, type Parentage } from './create-session.ts';
import { deleteSession } from './delete-session.ts';
import { sendMessage } from './send-message.ts';

type Surroundings = Omit<App, 'plugins' | 'close'>;

/** Sessions and runs for plugins that start work by themselves. The verbs are those of the API, guards included. */
export function pluginSessions(app: Surroundings): SessionsService {
  const find = (sessionId: string): Session | undefined => app.sessions.findAny(sessionId);
  const need = (sessionId: string): Session => {
    const session = find(sessionId);
    if (!session) throw new ServiceError('session_not_found', 'There is no such session.');
    return session;
  };
  const parentage = ({ sessionId, role }: { sessionId: string; role: string }): Parentage => {
    const { record } = need(sessionId);
    return { parentId: record.id, rootId: record.rootId, depth: (record.depth ?? 0) + 1, role };
  };

  const create = async ({ tenantId, parent, ...request }: SessionRequest): Promise<Session> => {
    const lineage = parent ? { parent: parentage(parent) } : {};
    const session = await createSession(app, { tenantId, confined: false }, { ...request, ...lineage });
    if (parent && !find(parent.sessionId)) {
      // The parent was deleted with its children while this one was being stored.
      await discard(app, session);
      throw new ServiceError('session_not_found', 'The session that this one was to work for has been deleted.');
    }
    return session;
  };

  const send = async (session: Session, content: string, options: SendOptions = {}) => {
    const { signal, created: _, ...runLimits } = options;
    signal?.throwIfAborted();
    const { run } = await sendMessage(app, session, { content, limits: runLimits });
    if (signal) follow(run, signal);
    return { runId: run.id, outcome: run.outcome };
  };

  return {
    create: async (request) => sessionView((await create(request)).record),
    get(sessionId) {
      const session = find(sessionId);
      return session && sessionView(session.record);
    },
    async send(sessionId, content, options) {
      refuseBadContent(content);
      return send(need(sessionId), content, options);
    },
    async start(request, content, options) {
      refuseBadContent(content);
      options?.signal?.throwIfAborted();
      const session = await create(request);
      try {
        options?.created?.(sessionView(session.record));
        const { runId, outcome } = await send(session, content, options);
        return { session: sessionView(session.record), runId, outcome };
      } catch (error) {
        await discard(app, session);
        throw error;
      }
    },
    settled: (sessionId) => app.runs.settled(sessionId),
    async messages(sessionId) {
      const session = need(sessionId);
      await session.load();
      return [...session.messages];
    },
    cancel(sessionId) {
      const session = find(sessionId);
      return session ? cancelRun(app, session) : false;
    },
  };
}

function refuseBadContent(content: string): void {
  if (content.trim() === '') throw new ServiceError('invalid_message', 'The message has no text.');
  if (content.length > limits.messageChars)
    throw new ServiceError(
      'message_too_large',
      `The message has ${content.length} characters; at most ${limits.messageChars} are accepted.`,
    );
}

/** Removes a session that never came to its first message. */
async function discard(app: Surroundings, session: Session): Promise<void> {
  if (session.removed) return;
  await deleteSession(app, session).catch((error: unknown) =>
    app.log.warn('A session without a message could not be removed.', { sessionId: session.id, error }),
  );
}

/** Ends a run as the one ended whose signal this is: with the service, or cancelled. */
function follow(run: Run, signal: AbortSignal): void {
  const stop = (): void => void run.stop(reasonOf(signal.reason));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  void run.outcome.then(() => signal.removeEventListener('abort', stop));
}

function reasonOf(reason: unknown): StopReason {
  const stopped = reason instanceof Error && 'reason' in reason && reason.reason === 'stopped';
  return stopped ? 'stopped' : 'cancelled';
}
