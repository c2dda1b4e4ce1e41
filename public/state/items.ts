import type { ToolCall } from '../../lib/wire/message.ts';
import type { Conversation, Message, Notice } from './conversation.ts';
import { groupBy } from './group-by.ts';

/** A call with what is known of it. */
export interface CallView {
  call: ToolCall;
  /** The message that asked for it; its reasoning stands in front of the call when there is no text. */
  message: Message;
  state: 'running' | 'done' | 'failed' | 'unfinished';
  /** The tool message. */
  answer: Message | undefined;
  startedAt: string | undefined;
  durationMs: number | undefined;
  data: unknown;
  text: string | undefined;
}

/** What the transcript shows, top to bottom. Keys are stable. */
export type Item =
  | { kind: 'user'; key: string; message: Message }
  | { kind: 'assistant'; key: string; message: Message }
  | { kind: 'tools'; key: string; calls: CallView[]; running: boolean }
  | { kind: 'compaction'; key: string; message: Message }
  | { kind: 'notice'; key: string; notice: Notice };

/** Turns messages into what is shown: neighbouring calls become one group, tool messages part of their call. */
export function toItems(conversation: Conversation): Item[] {
  const { messages, notices } = conversation;
  const answers = new Map<string, Message>();
  for (const message of messages) if (message.toolCallId) answers.set(message.toolCallId, message);
  const noticesAfter = groupBy(notices, ({ after }) => after);
  const items: Item[] = [];
  const addNotices = (after: string | undefined): void => {
    for (const notice of noticesAfter.get(after) ?? [])
      items.push({ kind: 'notice', key: `notice ${notice.key}`, notice });
  };
  addNotices(undefined);
  for (const message of messages) {
    if (isShown(message)) add(items, message);
    for (const call of message.hidden ? [] : (message.toolCalls ?? []))
      groupFor(items, call).push(view(conversation, { call, message, answer: answers.get(call.id) }));
    addNotices(message.id);
  }
  for (const item of items)
    if (item.kind === 'tools') item.running = item.calls.some(({ state }) => state === 'running');
  return items;
}

function add(items: Item[], message: Message): void {
  const { id: key } = message;
  if (message.role === 'user') items.push({ kind: 'user', key, message });
  else if (typeof message.meta?.compacted === 'number') items.push({ kind: 'compaction', key, message });
  else if (message.content !== '' || (message.reasoning && !message.toolCalls?.length))
    items.push({ kind: 'assistant', key, message });
}

function isShown(message: Message): boolean {
  return !message.hidden && (message.role === 'user' || message.role === 'assistant');
}

function groupFor(items: Item[], call: ToolCall): CallView[] {
  const last = items.at(-1);
  if (last?.kind === 'tools') return last.calls;
  const group = { kind: 'tools' as const, key: `tools ${call.id}`, calls: [], running: false };
  items.push(group);
  return group.calls;
}

function view(
  { results, started, run }: Conversation,
  { call, message, answer }: { call: ToolCall; message: Message; answer: Message | undefined },
): CallView {
  const result = results[call.id];
  const failed = answer ? answer.isError === true : result?.ok === false;
  const over = answer !== undefined || result !== undefined;
  const kept = answer?.meta?.durationMs;
  return {
    call,
    message,
    answer,
    state: over ? (failed ? 'failed' : 'done') : run ? 'running' : 'unfinished',
    startedAt: started[call.id],
    durationMs: result?.durationMs ?? (typeof kept === 'number' ? kept : undefined),
    data: result?.data ?? answer?.meta?.data,
    text: answer?.content ?? result?.content,
  };
}

/** `6 tool calls, 1 failed, 14 s`. */
export function summaryOf(calls: readonly CallView[]): { count: number; failed: number; durationMs: number } {
  return {
    count: calls.length,
    failed: calls.filter(({ state }) => state === 'failed').length,
    durationMs: calls.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0),
  };
}

/** The one argument that says most, on one line. */
export function argumentLine({ arguments: args }: ToolCall): string {
  const known = ['command', 'path', 'file', 'url', 'pattern', 'query', 'task', 'name', 'content'];
  const key = known.find((name) => typeof args[name] === 'string') ?? Object.keys(args)[0];
  if (key === undefined) return '';
  const value = args[key];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (text ?? '').replace(/\s+/g, ' ').slice(0, 200);
}
