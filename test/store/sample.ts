import type { SessionChange, SessionCommit } from '../../lib/store/change.ts';
import { createIdSource } from '../../lib/wire/ids.ts';
import type { StoredMessage } from '../../lib/wire/message.ts';
import type { SessionFields, SessionRecord } from '../../lib/wire/session.ts';
import { noUsage } from '../../lib/wire/usage.ts';

export const newId = createIdSource(Date.now);

export function sampleRecord(id: string, fields: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id,
    title: 'A session',
    titled: false,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    status: 'idle',
    model: 'test/model',
    messageCount: 0,
    workspace: '/srv/work',
    usage: noUsage,
    tenantId: 'default',
    rootId: id,
    revision: 1,
    ...fields,
  };
}

export function sampleMessage(content: string, fields: Partial<StoredMessage> = {}): StoredMessage {
  return { id: newId('msg'), role: 'user', content, createdAt: '2026-01-01T00:00:00.000Z', ...fields };
}

/** Makes the commits of one session with contiguous revisions. */
export function author(tenantId = 'default', sessionId = newId('ses')) {
  let revision = 0;
  const next = (change: SessionChange): SessionCommit => ({ tenantId, sessionId, revision: ++revision, change });
  return {
    id: sessionId,
    tenantId,
    create: (fields: Partial<SessionRecord> = {}) =>
      next({ kind: 'created', session: sampleRecord(sessionId, { tenantId, ...fields }) }),
    update: (fields: SessionFields) => next({ kind: 'updated', fields }),
    append: (...contents: (string | StoredMessage)[]) =>
      next({
        kind: 'appended',
        messages: contents.map((each) => (typeof each === 'string' ? sampleMessage(each) : each)),
        fields: {},
      }),
    truncate: (keep: number) => next({ kind: 'truncated', keep, fields: { messageCount: keep } }),
    compact: (removed: number, summary: string) =>
      next({
        kind: 'compacted',
        removed,
        summary: sampleMessage(summary, { role: 'system', hidden: true }),
        fields: {},
      }),
    remove: () => next({ kind: 'deleted' }),
    /** Takes back the last commit: it was refused. */
    undo: () => {
      revision -= 1;
    },
    revision: () => revision,
  };
}

export const texts = (messages: StoredMessage[]): string[] => messages.map(({ content }) => content);
