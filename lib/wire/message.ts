/** Image types that travel (contract: ImageAttachment). */
export const imageMimeTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
export type ImageMimeType = (typeof imageMimeTypes)[number];

/** An image on the wire: base64 without a `data:` prefix. */
export interface ImageAttachment {
  mimeType: ImageMimeType;
  data: string;
  name?: string;
}

/** An image as transcripts hold it: the bytes live in the store under their SHA-256 (hex). `bytes` is the decoded size. */
export interface ImageRef {
  mimeType: ImageMimeType;
  name?: string;
  hash: string;
  bytes: number;
}

export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';

export interface ToolCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** What a tool call came to; `data` goes to clients only, never to the model. */
export interface ToolResult {
  callId: string;
  name: string;
  ok: boolean;
  content: string;
  durationMs?: number;
  error?: string;
  data?: unknown;
}

interface MessageFields {
  id: string;
  role: MessageRole;
  content: string;
  reasoning?: string;
  toolCalls?: ToolCall[];
  toolCallId?: string;
  toolName?: string;
  /** Tool messages only: the call failed, was denied or never ran. */
  isError?: boolean;
  createdAt: string;
  model?: string;
  hidden?: boolean;
  meta?: Record<string, unknown>;
}

/** A message on the wire (contract: ChatMessage). */
export interface ChatMessage extends MessageFields {
  images?: ImageAttachment[];
}

/** A message in memory and in the store: images by reference. Treated as immutable once it is in a transcript. */
export interface StoredMessage extends MessageFields {
  images?: ImageRef[];
}
