import type { SessionStore } from '../store/session-store.ts';
import type { ChatMessage, ImageAttachment, ImageRef, StoredMessage } from '../wire/message.ts';
import type { OutgoingEvent, Session } from './session.ts';

export type ImageSource = Pick<SessionStore, 'readImage'>;

/** The wire form of a message: image bytes come from the store; an image that is not there any more is left out. */
async function toChatMessage(store: ImageSource, session: Session, message: StoredMessage): Promise<ChatMessage> {
  const { images, ...fields } = message;
  return images === undefined ? fields : { ...fields, images: await loadImages(store, session, images) };
}

export async function toChatMessages(
  store: ImageSource,
  session: Session,
  messages: readonly StoredMessage[],
): Promise<ChatMessage[]> {
  const wire: ChatMessage[] = [];
  // One after the other: a transcript may hold hundreds of megabytes of images.
  for (const message of messages)
    wire.push(message.images ? await toChatMessage(store, session, message) : (message as ChatMessage));
  return wire;
}

export async function loadImages(
  store: ImageSource,
  session: Session,
  refs: readonly ImageRef[],
): Promise<ImageAttachment[]> {
  const images: ImageAttachment[] = [];
  for (const { mimeType, name, hash } of refs) {
    const data = await store.readImage(session.tenantId, session.id, hash);
    if (data !== undefined) images.push(name === undefined ? { mimeType, data } : { mimeType, data, name });
  }
  return images;
}

/**
 * `message.started` with the skeleton, or `message.completed` with everything; image bytes are read when a subscriber
 * takes the event.
 */
export function messageEvent(
  type: 'message.started' | 'message.completed',
  context: { store: ImageSource; session: Session; message: StoredMessage },
): OutgoingEvent {
  const { store, session, message } = context;
  const { images, ...fields } = type === 'message.started' ? skeletonOf(message) : message;
  const event = { type, sessionId: session.id, message: fields } as const;
  if (images === undefined) return event;
  return { event, expand: async () => ({ ...event, message: await toChatMessage(store, session, message) }) };
}

function skeletonOf(message: StoredMessage): StoredMessage {
  const { id, role, createdAt, model, toolCallId, toolName } = message;
  const skeleton: StoredMessage = { id, role, content: '', createdAt };
  if (model !== undefined) skeleton.model = model;
  if (toolCallId !== undefined) skeleton.toolCallId = toolCallId;
  if (toolName !== undefined) skeleton.toolName = toolName;
  return skeleton;
}
