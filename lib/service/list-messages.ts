import type { App } from '../app.ts';
import type { Session } from '../session/session.ts';
import { ServiceError } from '../wire/errors.ts';
import type { MessagePage } from '../wire/transcript.ts';

/** The last `limit` messages, or those just before the message `before`. Throws `message_not_found`. */
export async function listMessages(
  app: Pick<App, 'events' | 'runs'>,
  session: Session,
  { before, limit }: { before?: string; limit: number },
): Promise<MessagePage> {
  await session.load();
  // All of one moment: nothing is awaited from here on.
  const { messages } = session;
  const end = before === undefined ? messages.length : messages.findIndex(({ id }) => id === before);
  if (end < 0) throw new ServiceError('message_not_found', 'There is no such message in this session.');
  const start = Math.max(0, end - limit);
  // A reply whose events still wait for a record comes with them, from its first word on.
  const streaming =
    before === undefined && session.isSettled ? app.runs.activeRun(session.id)?.streaming?.() : undefined;
  app.events.shown({ tenantId: session.tenantId, sessionId: session.id });
  return {
    messages: messages.slice(start, end),
    more: start > 0,
    total: messages.length,
    lastSeq: app.events.lastSeq,
    ...(streaming && !messages.some(({ id }) => id === streaming.id) ? { streaming } : {}),
  };
}

/** The bytes of an image of the transcript, base64. Throws `not_found`. */
export async function readImage(
  app: Pick<App, 'store'>,
  session: Session,
  hash: string,
): Promise<{ mimeType: string; data: string }> {
  await session.load();
  const image = session.messages.flatMap(({ images = [] }) => images).find((ref) => ref.hash === hash);
  const data = image && (await app.store.readImage(session.tenantId, session.id, hash));
  if (!image || data === undefined) throw new ServiceError('not_found', 'There is no such image in this session.');
  return { mimeType: image.mimeType, data };
}
