import { isoTime } from '../base/clock.ts';
import type { Run, RunLimits } from '../run/run.ts';
import type { Session } from '../session/session.ts';
import { limits } from '../wire/limits.ts';
import type { ImageAttachment, ImageRef, StoredMessage } from '../wire/message.ts';
import type { SessionFields } from '../wire/session.ts';
import { refuseWhenBusy, refuseWhenRemoved } from './refuse.ts';
import { messageCutOff, snapshotBefore } from './snapshot-before.ts';
import { type RunStarters, startRun } from './start-run.ts';

/**
 * Accepts a user message and starts its run; resolves with the run once the message is durable (contract: POST messages).
 * Of several at once exactly one passes: check, guards and reservation happen in one tick. Throws `session_busy` or a guard's veto.
 */
export async function sendMessage(
  app: RunStarters,
  session: Session,
  request: { content: string; images?: readonly ImageAttachment[]; limits?: RunLimits },
): Promise<{ run: Run; messageId: string }> {
  await session.load();
  refuseWhenRemoved(session);
  refuseWhenBusy(session);
  app.guards.check({ action: 'run', tenantId: session.tenantId, sessionId: session.id });
  const cutOff = messageCutOff(session);
  const run = app.runs.claim(session, request.limits);

  const message: StoredMessage = {
    id: app.newId('msg'),
    role: 'user',
    content: request.content,
    createdAt: isoTime(app.clock.now()),
  };
  const { images = [] } = request;
  await startRun(app, run, {
    messages: [message],
    fields: titleFields(session, request.content),
    async prepare() {
      if (images.length > 0) message.images = await storeImages(app, session, images);
    },
    started: (accepted) => snapshotBefore(app, run, { message, cutOff, accepted }),
  });
  return { run, messageId: message.id };
}

async function storeImages(
  app: RunStarters,
  session: Session,
  images: readonly ImageAttachment[],
): Promise<ImageRef[]> {
  const refs: ImageRef[] = [];
  for (const { mimeType, name, data } of images) {
    const { hash, bytes } = await app.store.putImage(session.tenantId, session.id, data);
    refs.push({ mimeType, hash, bytes, ...(name === undefined ? {} : { name }) });
  }
  return refs;
}

/** The first message names an untitled session: its first line with text, at most 60 characters. */
function titleFields(session: Session, content: string): SessionFields {
  if (session.record.titled) return {};
  const line =
    content
      .split('\n')
      .find((text) => text.trim() !== '')
      ?.trim() ?? 'Image';
  return { title: [...line].slice(0, limits.derivedTitleChars).join(''), titled: true };
}
