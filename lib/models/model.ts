import type { DeltaChannel } from '../wire/event.ts';
import type { ImageAttachment, ToolCall } from '../wire/message.ts';
import type { ModelInfo } from '../wire/model.ts';
import type { ToolSchema } from '../wire/tool.ts';
import type { Usage } from '../wire/usage.ts';

/** A tool call as a model wrote it. `problem` says why the arguments could not be read; such a call is never executed. */
export interface ModelToolCall extends ToolCall {
  problem?: string;
}

/**
 * The conversation as a provider sees it. The runtime guarantees: every tool call of an assistant message is followed,
 * directly, by exactly one `tool` message, and there are no other tool messages. Images carry their bytes.
 */
export type ModelMessage =
  | { role: 'user'; content: string; images?: ImageAttachment[] }
  | { role: 'assistant'; content: string; reasoning?: string; toolCalls: ToolCall[]; meta?: Record<string, unknown> }
  | { role: 'tool'; callId: string; name: string; content: string; isError: boolean; images?: ImageAttachment[] };

export interface ModelRequest {
  sessionId: string;
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ToolSchema[];
  /** `model.temperature` and `model.maxTokens` of the configuration; an option of the provider beats them. */
  temperature?: number;
  maxTokens?: number;
}

export interface ModelIo {
  /** Aborts the call: reject with the signal's reason. */
  signal: AbortSignal;
  /** Streamed output, in order. Call it synchronously for everything that arrived in one network read. */
  onDelta(channel: DeltaChannel, delta: string): void;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error';

/** What a model call came to (contract: Model-call behaviour). */
export interface Completion {
  content: string;
  reasoning?: string;
  toolCalls: ModelToolCall[];
  /** Absent when the provider reports none. */
  usage?: Usage;
  finishReason: FinishReason;
  /** Kept on the message and handed back in `ModelMessage.meta` (signed thinking blocks, for one). */
  meta?: Record<string, unknown>;
}

/** A model that plugins register. `complete` streams and resolves, or rejects with a ProviderError. */
export interface Model {
  readonly info: ModelInfo;
  /**
   * The longest time without a delta, in milliseconds, after which a call counts as hung and fails. Default 15 minutes; 0: the
   * model ends its calls by itself in time.
   */
  readonly silenceMs?: number;
  complete(request: ModelRequest, io: ModelIo): Promise<Completion>;
}

/**
 * A failed model call. `retryable` holds for HTTP 408, 409, 425, 429, 5xx and network failures; `retryAfterMs` is the
 * provider's hint. Recognised by name, so a plugin's own copy of the class counts.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;

  constructor(
    message: string,
    options: { retryable?: boolean; retryAfterMs?: number; status?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
  }
}

export function isProviderError(value: unknown): value is ProviderError {
  return value instanceof Error && value.name === 'ProviderError';
}
