import { isApiError } from '../../lib/client/index.ts';
import { fromPage, lastUserMessage, reduce, withOlder } from '../state/conversation.ts';
import { createLiveText } from '../state/live-text.ts';
import { createOpenSession, type OpenSession, type Store } from '../state/store.ts';
import type { Api } from './api.ts';
import { explainFailure } from './explain-failure.ts';
import type { HubEnvelope } from './hub-protocol.ts';
import { newerThan } from './merge-deltas.ts';
import { messageOf } from './message-of.ts';

/** The sessions that are open in this tab, and their transcripts. */
export interface OpenSessions {
  /** Opens it, or brings the copy that is still here to the front. */
  open(id: string): OpenSession;
  receive(envelope: HubEnvelope): void;
  reload(id: string): Promise<void>;
  /** After the stream had been gone. */
  reloadAll(): void;
  loadOlder(session: OpenSession): Promise<void>;
  forget(id: string): void;
}

const kept = 8;
const pageSize = 1_000;

/** `show` is told which sessions are open, so that their deltas come here. */
export function createSessions(context: {
  store: Store;
  api: () => Api;
  show: (sessionIds: readonly string[]) => void;
  fail: (error: unknown) => void;
}): OpenSessions {
  const { store, api } = context;
  const { open } = store;
  /** Events that came while a transcript was being read: they are applied on top of it. */
  const waiting = new Map<string, HubEnvelope[]>();

  const apply = (session: OpenSession, envelope: HubEnvelope): void => {
    const { event } = envelope;
    if (event.type === 'message.delta') {
      session.live.append(event, Date.parse(envelope.at));
      return;
    }
    const before = session.conversation.value;
    const after = reduce(before, envelope);
    if (event.type === 'message.completed') {
      rememberThought(session, event.message.id, Date.parse(envelope.at));
      if (event.message.role === 'user') session.echo.value = undefined;
    }
    if (event.type === 'run.started' || event.type === 'run.finished' || event.type === 'run.failed')
      session.stopping.value = false;
    if (event.type === 'message.started' && event.message.role === 'assistant') session.live.reset(event.message.id);
    if (after === before) return;
    session.conversation.value = after;
    if (after.stale && !before.stale) void sessions.reload(session.id);
  };

  const load = async (session: OpenSession): Promise<void> => {
    const { id } = session;
    const events: HubEnvelope[] = [];
    waiting.set(id, events);
    try {
      const page = await api().listMessages(id, { limit: pageSize });
      if (waiting.get(id) !== events) return;
      waiting.delete(id);
      const known = store.directory.value.sessions.get(id);
      const before = session.conversation.value;
      const next = fromPage(page, before);
      const running = known?.status === 'running';
      session.conversation.value = {
        ...next,
        run: running ? (before.run ?? { id: '', since: known.activity?.since ?? known.updatedAt }) : undefined,
        ...(running ? { over: undefined } : {}),
      };
      session.phase.value = 'ready';
      if (known?.status === 'error' && !before.over) void explainFailure(session, api());
      if (session.echo.value?.after !== lastUserMessage(next)?.id) session.echo.value = undefined;
      if (page.streaming)
        session.live.reset(page.streaming.id, {
          text: page.streaming.content,
          reasoning: page.streaming.reasoning ?? '',
        });
      for (const envelope of events) {
        const rest = newerThan(envelope, page.lastSeq);
        if (rest) apply(session, rest);
      }
    } catch (error) {
      if (waiting.get(id) === events) waiting.delete(id);
      const gone = isApiError(error) && error.status === 404;
      if (gone || session.phase.value === 'loading') session.phase.value = gone ? 'missing' : 'failed';
      session.problem.value = messageOf(error);
      if (isApiError(error) && error.status === 401) context.fail(error);
    }
  };

  const sessions: OpenSessions = {
    open(id) {
      const known = open.get(id);
      const session =
        known ??
        createOpenSession(
          id,
          createLiveText((paint) => requestAnimationFrame(paint)),
        );
      open.delete(id);
      open.set(id, session);
      for (const oldest of [...open.keys()].slice(0, Math.max(0, open.size - kept))) open.delete(oldest);
      context.show([...open.keys()]);
      if (!known) void load(session);
      return session;
    },
    receive(envelope) {
      const { event } = envelope;
      const sessionId = 'sessionId' in event ? event.sessionId : undefined;
      const session = sessionId === undefined ? undefined : open.get(sessionId);
      if (!session) return;
      waiting.get(session.id)?.push(envelope);
      if (event.type === 'session.deleted') session.phase.value = 'missing';
      const rest = newerThan(envelope, session.conversation.value.seq);
      if (session.phase.value === 'ready' && rest) apply(session, rest);
    },
    async reload(id) {
      const session = open.get(id);
      if (session) await load(session);
    },
    reloadAll() {
      for (const session of open.values()) void load(session);
    },
    async loadOlder(session) {
      const { messages, more } = session.conversation.value;
      const first = messages[0];
      if (!more || !first) return;
      try {
        const page = await api().listMessages(session.id, { before: first.id, limit: pageSize });
        session.conversation.value = withOlder(session.conversation.value, page);
      } catch (error) {
        context.fail(error);
      }
    },
    forget(id) {
      open.delete(id);
      context.show([...open.keys()]);
    },
  };
  return sessions;
}

function rememberThought({ live, thoughts }: OpenSession, messageId: string, endedAt: number): void {
  const { reasoning, text } = live.since;
  if (live.messageId === messageId && reasoning) thoughts.set(messageId, (text ?? endedAt) - reasoning);
}
