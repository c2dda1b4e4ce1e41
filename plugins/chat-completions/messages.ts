import {
  type ImageAttachment,
  type ModelMessage,
  type ModelRequest,
  type ToolCall,
  wireToolName,
} from '../../lib/plugin-api/index.ts';
import { keptParts } from './kept-parts.ts';

type Part = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } };

/** A message as the chat completions API takes it. */
export type WireMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | Part[] }
  | {
      role: 'assistant';
      content: string | null;
      reasoning_content?: string;
      reasoning_details?: Record<string, unknown>[];
      tool_calls?: WireToolCall[];
    }
  | { role: 'tool'; tool_call_id: string; content: string };

interface WireToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
  extra_content?: Record<string, unknown>;
}

/**
 * The conversation in the dialect's form. Text-only messages are plain strings; images of tools follow the results of
 * their turn as a user message, because a tool message can't carry any. The first message after the system prompt and
 * the last one are never the assistant's: chat templates reject the one, some servers the other.
 */
export function toWireMessages(
  request: ModelRequest,
  { sendReasoning, model }: { sendReasoning: boolean; model: string },
): WireMessage[] {
  const { system, messages } = request;
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const wire: WireMessage[] = system === '' ? [] : [{ role: 'system', content: system }];
  let pending: Part[] = [];
  messages.forEach((message, index) => {
    if (message.role !== 'tool') pending = flush(wire, pending);
    if (message.role === 'tool' && message.images?.length) {
      pending.push({ type: 'text', text: `Images of the result of ${message.name} (${message.callId}):` });
      pending.push(...message.images.map(imagePart));
    }
    const converted = convert(message, { model, withReasoning: sendReasoning && index > lastUser });
    if (converted === undefined) return;
    const isFirst = wire.every(({ role }) => role === 'system');
    if (isFirst && converted.role === 'assistant') wire.push({ role: 'user', content: 'The conversation so far:' });
    wire.push(converted);
  });
  flush(wire, pending);
  const last = wire.at(-1)?.role ?? 'system';
  if (last === 'assistant' || last === 'system') wire.push({ role: 'user', content: 'Please continue.' });
  return wire;
}

function convert(
  message: ModelMessage,
  { model, withReasoning }: { model: string; withReasoning: boolean },
): WireMessage | undefined {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.content };
  if (message.role === 'user') return userMessage(message.content, message.images ?? []);
  const { content, toolCalls, reasoning } = message;
  if (content === '' && toolCalls.length === 0) return undefined;
  const { reasoningDetails, callExtras } = keptParts(message, model);
  const said: WireMessage & { role: 'assistant' } = { role: 'assistant', content: content === '' ? null : content };
  if (withReasoning && reasoning) said.reasoning_content = reasoning;
  if (reasoningDetails.length > 0) said.reasoning_details = reasoningDetails;
  if (toolCalls.length > 0)
    said.tool_calls = toolCalls.map((call) =>
      wireCall(call, Object.hasOwn(callExtras, call.id) ? callExtras[call.id] : undefined),
    );
  return said;
}

function wireCall({ id, name, arguments: given }: ToolCall, extra: Record<string, unknown> | undefined): WireToolCall {
  const called = { name: wireToolName(name), arguments: JSON.stringify(given) };
  const call: WireToolCall = { id, type: 'function', function: called };
  if (extra !== undefined) call.extra_content = extra;
  return call;
}

function userMessage(text: string, images: readonly ImageAttachment[]): WireMessage {
  if (images.length === 0) return { role: 'user', content: text };
  const parts: Part[] = text === '' ? [] : [{ type: 'text', text }];
  return { role: 'user', content: [...parts, ...images.map(imagePart)] };
}

function imagePart({ mimeType, data }: ImageAttachment): Part {
  return { type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } };
}

function flush(wire: WireMessage[], parts: Part[]): Part[] {
  if (parts.length > 0) wire.push({ role: 'user', content: parts });
  return [];
}
