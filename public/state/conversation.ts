import type { RunEnd, ServerEventEnvelope, SessionEvent } from '../../lib/wire/event.ts';
import type { ChatMessage, ImageAttachment, ImageRef, StoredMessage, ToolResult } from '../../lib/wire/message.ts';
import type { Usage } from '../../lib/wire/usage.ts';

/** An image with its bytes (from an event) or by its hash (from a page). */
export type ShownImage = ImageAttachment | ImageRef;
export type Message = Omit<ChatMessage, 'images'> & { images?: ShownImage[] };

/** A line of the run's log: retries, limits and the like. It stands behind the message that was last when it came. */
export interface Notice {
  key: number;
  level: 'info' | 'warn' | 'error';
  text: string;
  at: string;
  after: string | undefined;
}

export type RunOver = { status: RunEnd; usage?: Usage } | { status: 'failed'; error: string };

/** What one session shows. Immutable; `reduce` makes the next one. Deltas are paint and are not in here. */
export interface Conversation {
  messages: readonly Message[];
  /** True when the service has older messages. */
  more: boolean;
  /** The newest event that is included. */
  seq: number;
  /** The reply that is being streamed: its skeleton. */
  live: Message | undefined;
  /** When calls began and what they came to, by call id, as events told it. */
  started: Readonly<Record<string, string>>;
  results: Readonly<Record<string, ToolResult>>;
  notices: readonly Notice[];
  run: { id: string; since: string } | undefined;
  over: RunOver | undefined;
  /** True when the transcript must be read again: a compaction replaced a part that events do not tell. */
  stale: boolean;
}

export const emptyConversation: Conversation = {
  messages: [],
  more: false,
  seq: 0,
  live: undefined,
  started: {},
  results: {},
  notices: [],
  run: undefined,
  over: undefined,
  stale: false,
};

export interface Page {
  messages: readonly StoredMessage[];
  more: boolean;
  lastSeq: number;
  streaming?: ChatMessage;
}

/** The conversation as the service has it; keeps what only events tell, and older pages that continue into this one. */
export function fromPage(page: Page, before: Conversation = emptyConversation): Conversation {
  const live = page.streaming ? { ...page.streaming, content: '' } : undefined;
  const older = before.stale ? [] : olderThan(page, before);
  return {
    ...before,
    messages: older.length > 0 ? [...older, ...page.messages] : page.messages,
    more: older.length > 0 ? before.more : page.more,
    seq: page.lastSeq,
    live,
    stale: false,
  };
}

function olderThan({ messages, more }: Page, before: Conversation): readonly Message[] {
  const first = messages[0];
  if (!more || !first) return [];
  const at = before.messages.findIndex(({ id }) => id === first.id);
  return at > 0 ? before.messages.slice(0, at) : [];
}

/** Older messages in front of those that are shown. */
export function withOlder(conversation: Conversation, page: Pick<Page, 'messages' | 'more'>): Conversation {
  const known = new Set(conversation.messages.map(({ id }) => id));
  const older = page.messages.filter(({ id }) => !known.has(id));
  return { ...conversation, messages: [...older, ...conversation.messages], more: page.more };
}

/** What an event makes of a conversation. Idempotent, and indifferent to unknown events. */
export function reduce(conversation: Conversation, { seq, at, event }: ServerEventEnvelope): Conversation {
  const next = apply(conversation, event, at, seq);
  return next === conversation ? conversation : { ...next, seq: Math.max(seq, next.seq) };
}

function apply(now: Conversation, event: SessionEvent, at: string, seq: number): Conversation {
  switch (event.type) {
    case 'run.started':
      return { ...now, run: { id: event.runId, since: at }, over: undefined, started: {}, notices: [] };
    case 'run.finished':
      return over(now, event.usage ? { status: event.status, usage: event.usage } : { status: event.status });
    case 'run.failed':
      return over(now, { status: 'failed', error: event.error });
    case 'message.started':
      if (event.message.role !== 'assistant' || has(now, event.message.id)) return now;
      return { ...now, live: event.message };
    case 'message.completed':
      return completed(now, event.message);
    case 'tool.started':
      return { ...now, started: { ...now.started, [event.call.id]: at } };
    case 'tool.finished':
      return { ...now, results: { ...now.results, [event.result.callId]: event.result } };
    case 'session.rewound':
      return { ...emptyConversation, messages: event.messages, seq: now.seq };
    case 'context.compacted':
    case 'stream.gap':
      return { ...now, stale: true };
    case 'notice': {
      const notice = { key: seq, level: event.level, text: event.message, at, after: now.messages.at(-1)?.id };
      return now.notices.some(({ key }) => key === seq)
        ? now
        : { ...now, notices: [...now.notices, notice].slice(-50) };
    }
    default:
      return now;
  }
}

export function lastUserMessage({ messages }: Pick<Conversation, 'messages'>): Message | undefined {
  return messages.findLast(({ role }) => role === 'user');
}

function over(now: Conversation, end: RunOver): Conversation {
  return { ...now, run: undefined, live: undefined, over: end };
}

function completed(now: Conversation, message: Message): Conversation {
  const at = now.messages.findIndex(({ id }) => id === message.id);
  const messages = at < 0 ? [...now.messages, message] : now.messages.with(at, message);
  return { ...now, messages, live: now.live?.id === message.id ? undefined : now.live };
}

function has(now: Conversation, id: string): boolean {
  return now.messages.some((message) => message.id === id);
}

/** True when no run can add to the turn of this message any more. */
export function isTurnOver(conversation: Conversation, message: Message): boolean {
  if (!conversation.run && !conversation.live) return true;
  const last = lastUserMessage(conversation);
  return last !== undefined && message.id !== last.id && message.createdAt < last.createdAt;
}
