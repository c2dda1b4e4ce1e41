import type { Draft } from '../state/drafts.ts';
import { mostQueued, type Queued } from '../state/queued.ts';
import type { Store } from '../state/store.ts';
import type { QueueKeeper } from './queue-keeper.ts';

/** Messages that wait for the end of their session's run. The service itself never queues. */
export interface MessageQueue {
  /** False when too many wait already. */
  add(sessionId: string, draft: Draft): boolean;
  /** Takes one back. Undefined when another tab has sent it. */
  takeBack(entry: Queued): Promise<Queued | undefined>;
  /** Sends the first of a session unless a run is active. */
  send(sessionId: string): Promise<void>;
  /** Sends what this page queued and whose run ended while nobody told. */
  sendOverdue(): void;
  /** Reads what an earlier page left. Call it when the sessions are known: what belongs to none is dropped. */
  restore(): Promise<void>;
}

/** `post` sends; `busy` and `refused` keep the message in the queue. */
export function createMessageQueue(context: {
  store: Store;
  keeper: QueueKeeper;
  post: (sessionId: string, draft: Draft) => Promise<'sent' | 'busy' | 'refused'>;
}): MessageQueue {
  const { store, keeper, post } = context;
  const sending = new Set<string>();
  const of = (id: string): readonly Queued[] => store.queue.value.get(id) ?? [];
  const set = (id: string, entries: readonly Queued[]): void => {
    const next = new Map(store.queue.value);
    if (entries.length > 0) next.set(id, entries);
    else next.delete(id);
    store.queue.value = next;
  };
  const without = ({ id, sessionId }: Queued): void =>
    set(
      sessionId,
      of(sessionId).filter((entry) => entry.id !== id),
    );
  const running = (id: string): boolean => store.directory.value.sessions.get(id)?.status === 'running';

  const queue: MessageQueue = {
    add(sessionId, draft) {
      if (of(sessionId).length >= mostQueued) return false;
      const entry = { id: `${Date.now()}-${Math.random()}`, sessionId, draft, at: Date.now(), isOld: false };
      set(sessionId, [...of(sessionId), entry]);
      void keeper.put(entry);
      return true;
    },
    async takeBack(entry) {
      without(entry);
      return (await keeper.take(entry.id).catch(() => true)) ? entry : undefined;
    },
    async send(sessionId) {
      const [first] = of(sessionId);
      if (!first || running(sessionId) || sending.has(sessionId)) return;
      sending.add(sessionId);
      const mine = await queue.takeBack(first);
      const outcome = mine ? await post(sessionId, first.draft) : 'gone';
      sending.delete(sessionId);
      if (outcome === 'gone') return queue.send(sessionId);
      if (outcome === 'sent') return;
      set(sessionId, [first, ...of(sessionId)]);
      void keeper.put(first);
    },
    sendOverdue() {
      for (const [sessionId, [first]] of store.queue.value) if (first && !first.isOld) void queue.send(sessionId);
    },
    async restore() {
      const here = new Set([...store.queue.value.values()].flat().map(({ id }) => id));
      for (const entry of await keeper.load()) {
        if (here.has(entry.id)) continue;
        if (store.directory.value.sessions.has(entry.sessionId)) set(entry.sessionId, [...of(entry.sessionId), entry]);
        else void keeper.take(entry.id);
      }
    },
  };
  return queue;
}
