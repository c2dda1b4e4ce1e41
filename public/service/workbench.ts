import { isApiError } from '../../lib/client/index.ts';
import type { Approval } from '../../lib/wire/approval.ts';
import { lastUserMessage } from '../state/conversation.ts';
import { without, withoutApproval, withSession } from '../state/directory.ts';
import type { Draft } from '../state/drafts.ts';
import { mostQueued } from '../state/queued.ts';
import { links } from '../state/route.ts';
import type { Store } from '../state/store.ts';
import type { Api } from './api.ts';
import { createMessageQueue, type MessageQueue } from './message-queue.ts';
import { createQueueKeeper } from './queue-keeper.ts';
import type { OpenSessions } from './sessions.ts';

/** What a person does. Nothing here throws: failures are shown. */
export interface Workbench {
  /**
   * Creates a session, opens it and sends the message; `made` is told its id before it is shown. False: nothing was sent, keep the
   * draft.
   */
  begin(draft: Draft, options: { model?: string; workspace?: string }, made: (id: string) => void): Promise<boolean>;
  /** Sends, or queues while a run is active. False: keep the draft; the reason was shown. */
  send(sessionId: string, draft: Draft): Promise<boolean>;
  queue: MessageQueue;
  stop(sessionId: string): Promise<void>;
  resume(sessionId: string): Promise<void>;
  update(sessionId: string, fields: { title?: string; model?: string }): Promise<boolean>;
  /** Hides it at once; deletes it when the time to undo is over. */
  remove(sessionId: string): void;
  /** False: it was not decided; the reason was shown. */
  decide(approval: Approval, decision: { approved: boolean; note?: string }): Promise<boolean>;
}

const undoMs = 5_000;

export function createWorkbench(context: {
  store: Store;
  api: () => Api;
  sessions: OpenSessions;
  fail: (error: unknown) => void;
  say: (text: string, tone?: 'info' | 'danger', action?: { label: string; run: () => void }) => () => void;
}): Workbench {
  const { store, api, fail, say } = context;
  const running = (id: string): boolean => store.directory.value.sessions.get(id)?.status === 'running';

  const post = async (id: string, draft: Draft): Promise<'sent' | 'busy' | 'refused'> => {
    const session = store.open.get(id);
    if (session) session.echo.value = { draft, after: lastUserMessage(session.conversation.value)?.id };
    try {
      const images = draft.images.map(({ mimeType, data, name }) => ({ mimeType, data, name: name.slice(0, 120) }));
      await api().sendMessage(id, images.length > 0 ? { content: draft.text, images } : { content: draft.text });
      return 'sent';
    } catch (error) {
      if (session) session.echo.value = undefined;
      if (isApiError(error) && error.code === 'session_busy') return 'busy';
      if (isApiError(error) && error.status === 429 && error.retryAfterSeconds !== undefined)
        say(`${error.message} Try again in ${error.retryAfterSeconds} s.`, 'danger');
      else fail(error);
      return 'refused';
    }
  };

  const queue = createMessageQueue({ store, keeper: createQueueKeeper(), post });
  const enqueue = (id: string, draft: Draft): boolean => {
    if (queue.add(id, draft)) return true;
    say(`At most ${mostQueued} messages wait for a run to end.`, 'danger');
    return false;
  };

  const bench: Workbench = {
    queue,
    async begin(draft, options, made) {
      try {
        const { session } = await api().createSession(options);
        const { messages: _, ...summary } = session;
        store.directory.value = withSession(store.directory.value, summary);
        context.sessions.open(session.id);
        made(session.id);
        location.hash = links.session(session.id);
        if (draft.text.trim() === '' && draft.images.length === 0) return true;
        return (await post(session.id, draft)) === 'sent';
      } catch (error) {
        fail(error);
        return false;
      }
    },
    async send(id, draft) {
      if (running(id)) return enqueue(id, draft);
      const outcome = await post(id, draft);
      return outcome === 'busy' ? enqueue(id, draft) : outcome === 'sent';
    },
    async stop(id) {
      const session = store.open.get(id);
      if (session) session.stopping.value = true;
      try {
        const { cancelled } = await api().cancelRun(id);
        if (!cancelled && session) session.stopping.value = false;
      } catch (error) {
        if (session) session.stopping.value = false;
        fail(error);
      }
    },
    async resume(id) {
      try {
        await api().resumeSession(id);
      } catch (error) {
        fail(error);
      }
    },
    async update(id, fields) {
      try {
        const { session } = await api().updateSession(id, fields);
        const { messages: _, ...summary } = session;
        store.directory.value = withSession(store.directory.value, summary);
        return true;
      } catch (error) {
        fail(error);
        return false;
      }
    },
    remove(id) {
      if (store.deleting.value.has(id)) return;
      const title = store.directory.value.sessions.get(id)?.title ?? 'Session';
      store.deleting.value = new Set(store.deleting.value).add(id);
      const route = store.route.value;
      if (route.name === 'session' && route.id === id) location.hash = links.home;
      const show = (): void => {
        const rest = new Set(store.deleting.value);
        rest.delete(id);
        store.deleting.value = rest;
      };
      const timer = setTimeout(() => {
        takeAway();
        api()
          .deleteSession(id)
          .then(() => {
            store.directory.value = without(store.directory.value, id);
            context.sessions.forget(id);
          }, fail)
          .finally(show);
      }, undoMs);
      const undo = (): void => {
        clearTimeout(timer);
        show();
      };
      // The offer goes when the time is over.
      const takeAway = say(`Deleted "${title}".`, 'info', { label: 'Undo', run: undo });
    },
    async decide({ sessionId, id }, decision) {
      try {
        await api().decideApproval(sessionId, id, decision);
      } catch (error) {
        if (isApiError(error) && error.code === 'approval_not_found') say('This was decided already.');
        else {
          fail(error);
          return false;
        }
      }
      store.directory.value = withoutApproval(store.directory.value, id);
      return true;
    },
  };
  return bench;
}
