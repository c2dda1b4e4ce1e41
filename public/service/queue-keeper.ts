import type { DraftImage } from '../state/drafts.ts';
import type { Queued } from '../state/queued.ts';

/** Keeps queued messages with their images over a reload. Where the browser keeps nothing, they live as long as the page. */
export interface QueueKeeper {
  /** What was kept, oldest first; what is older than a week is let go. */
  load(): Promise<Queued[]>;
  put(entry: Queued): Promise<void>;
  /** Takes it out. False when it was kept and another tab took it first. */
  take(id: string): Promise<boolean>;
}

interface Kept extends Omit<Queued, 'isOld' | 'draft'> {
  text: string;
  images: DraftImage[];
}

const weekMs = 7 * 86_400_000;

export function createQueueKeeper(): QueueKeeper {
  const saved = new Map<string, Promise<boolean>>();
  let opened: Promise<IDBDatabase> | undefined;
  const records = async (mode: IDBTransactionMode): Promise<IDBObjectStore> => {
    opened ??= open();
    return (await opened).transaction('queue', mode).objectStore('queue');
  };
  return {
    async load() {
      try {
        const store = await records('readwrite');
        const all = await done<Kept[]>(store.getAll());
        for (const { id, at } of all) if (at < Date.now() - weekMs) store.delete(id);
        const fresh = all.filter(({ at }) => at >= Date.now() - weekMs).sort((a, b) => a.at - b.at);
        for (const { id } of fresh) saved.set(id, Promise.resolve(true));
        return fresh.map(queuedOf);
      } catch {
        return [];
      }
    },
    async put(entry) {
      const saving = records('readwrite')
        .then((store) => done(store.put(keptOf(entry))))
        .then(
          () => true,
          () => false,
        );
      saved.set(entry.id, saving);
      await saving;
    },
    async take(id) {
      if (!(await saved.get(id))) return true;
      saved.delete(id);
      const store = await records('readwrite');
      const found = await done<string | undefined>(store.getKey(id) as IDBRequest<string | undefined>);
      if (found === undefined) return false;
      await done(store.delete(id));
      return true;
    },
  };
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open('service', 1);
  request.onupgradeneeded = () => request.result.createObjectStore('queue', { keyPath: 'id' });
  return done(request);
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function keptOf({ id, sessionId, at, draft }: Queued): Kept {
  return { id, sessionId, at, text: draft.text, images: [...draft.images] };
}

function queuedOf({ text, images, ...kept }: Kept): Queued {
  return { ...kept, draft: { text, images }, isOld: true };
}
