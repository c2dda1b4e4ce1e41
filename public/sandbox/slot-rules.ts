import type { ChatMessage, ImageAttachment, ImageRef } from '../../lib/wire/message.ts';
import type { WorkspaceFile } from '../../lib/wire/workspace.ts';
import type { FrameContext, Match, Slot } from './protocol.ts';

const maxFileChars = 512_000;
const maxSubmitChars = 100_000;

export type SlotMessage = Omit<ChatMessage, 'images'> & { images?: (ImageAttachment | ImageRef)[] };

/** Lower order first; the same order everywhere for equals. */
export function byOrder(a: SlotKey, b: SlotKey): number {
  return a.order - b.order || compare(a.pluginId, b.pluginId) || compare(a.id, b.id);
}

interface SlotKey {
  order: number;
  pluginId: string;
  id: string;
}

/** `message.after`: the role, and any of the tools that the message calls. */
export function matchesMessage({ roles, toolNames }: Match, { role, toolCalls = [] }: SlotMessage): boolean {
  if (role !== 'user' && role !== 'assistant') return false;
  if (roles && !roles.includes(role)) return false;
  return !toolNames || toolCalls.some(({ name }) => toolNames.includes(name));
}

/** `file.viewer`: the part behind the last dot, whatever its case. Without `extensions` a viewer matches nothing. */
export function matchesFile({ extensions = [] }: Match, name: string): boolean {
  const at = name.lastIndexOf('.');
  return at > 0 && extensions.includes(name.slice(at + 1).toLowerCase());
}

/** The parts of the context that a slot promises. */
export function contextFields(
  slot: Slot,
  given: { sessionId?: string; message?: SlotMessage; file?: WorkspaceFile },
): Pick<FrameContext, 'sessionId' | 'payload' | 'message' | 'file'> {
  if (slot === 'sidebar.footer' || slot === 'settings.section') return {};
  const session = given.sessionId === undefined ? {} : { sessionId: given.sessionId };
  if (slot === 'message.after' && given.message) {
    const message = toPayload(given.message);
    return { ...session, message, payload: { message } };
  }
  if (slot === 'file.viewer' && given.file) {
    const file = clipFile(given.file);
    return { ...session, file, payload: { file } };
  }
  return session;
}

/** Text that a bundle wants to send; undefined when there is nothing in it. */
export function submittedText(text: string): string | undefined {
  return text.trim() === '' ? undefined : text.slice(0, maxSubmitChars);
}

/** Images cross as their type and name, never with their bytes. */
function toPayload({ id, role, content, createdAt, reasoning, model, toolCalls, images }: SlotMessage): object {
  return {
    ...{ id, role, content, createdAt },
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(model === undefined ? {} : { model }),
    ...(toolCalls === undefined ? {} : { toolCalls: structuredClone(toolCalls) }),
    ...(images === undefined
      ? {}
      : { images: images.map(({ mimeType, name }) => ({ mimeType, ...(name === undefined ? {} : { name }) })) }),
  };
}

function clipFile(file: WorkspaceFile): object {
  const { path, name, size, mimeType, encoding, content, truncated, binary, lines } = file;
  const clipped = content.length > maxFileChars;
  return {
    ...{ path, name, size, mimeType, encoding, binary },
    content: clipped ? content.slice(0, maxFileChars) : content,
    truncated: truncated || clipped,
    ...(lines === undefined ? {} : { lines }),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
