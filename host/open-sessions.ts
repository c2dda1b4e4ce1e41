import type { Logger } from '../lib/base/log.ts';
import type { OpenedStore, OpenOptions, SessionStore } from '../lib/store/session-store.ts';
import { removeUnfinished } from '../lib/store/transfer/remove-unfinished.ts';

/**
 * Opens a store and says in the log what that took. What an import that was cut off left half done is removed first. Rejects
 * as `open` does, and when the store can't be read or written; it is closed then.
 */
export async function openSessions(
  store: SessionStore,
  { log, ...options }: OpenOptions & { log: Logger },
): Promise<OpenedStore> {
  const opened = await store.open(options);
  for (const finding of opened.findings) log.warn(`Recovery: ${finding}`);
  try {
    const removed = await removeUnfinished(store, opened.sessions);
    if (removed.size === 0) return opened;
    log.warn(
      `An import was cut off. ${removed.size} sessions that it left half done are removed: import the file again.`,
    );
    return { ...opened, sessions: opened.sessions.filter(({ id }) => !removed.has(id)) };
  } catch (error) {
    await store.close();
    throw error;
  }
}
