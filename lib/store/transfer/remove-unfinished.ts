import type { SessionRecord } from '../../wire/session.ts';
import type { SessionStore } from '../session-store.ts';

/** The key under which an import notes the ids of the sessions that it is writing, as JSON. */
export const importKey = 'import';

/**
 * What an import that was cut off left half done goes: nobody is to work with half a transcript, and the file still has it.
 * A session whose messages are all there stays. Resolves to the ids of those that went. One small read when there was no
 * such import.
 */
export async function removeUnfinished(store: SessionStore, sessions: readonly SessionRecord[]): Promise<Set<string>> {
  const removed = new Set<string>();
  const ids = new Set(idsIn((await store.readMeta(importKey)) ?? '[]'));
  if (ids.size === 0) return removed;
  for (const record of sessions.filter(({ id }) => ids.has(id))) {
    const { tenantId, id, revision } = record;
    const messages = await store.readMessages(tenantId, id).catch(() => undefined);
    if (messages?.length === record.messageCount) continue;
    await store.commit({ tenantId, sessionId: id, revision: revision + 1, change: { kind: 'deleted' } });
    removed.add(id);
  }
  await store.writeMeta(importKey, '[]');
  return removed;
}

function idsIn(note: string): unknown[] {
  try {
    const noted: unknown = JSON.parse(note);
    return Array.isArray(noted) ? noted : [];
  } catch {
    return [];
  }
}
