import { type ModelMessage, type ToolCall, wireToolName } from '../../lib/plugin-api/index.ts';
import { type Block, imageBlock, textBlocks, toolResultBlock } from './blocks.ts';
import { signedThinking, turnStart } from './thinking.ts';

export interface WireMessage {
  role: 'user' | 'assistant';
  content: Block[];
}

/** The messages that say something: the API knows no empty ones. */
export function withContent(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.filter(
    (message) =>
      message.role === 'tool' ||
      message.content.trim() !== '' ||
      (message.role === 'user' ? message.images : message.toolCalls)?.length,
  );
}

/**
 * The conversation as the messages API takes it: user and assistant in turn, beginning and ending with the user, the
 * results of tool calls first in the message after them, no empty blocks. `thinking` names the model whose signed
 * thinking goes back inside the current turn. No message may be empty (`withContent`).
 */
export function toWireMessages(messages: readonly ModelMessage[], thinking: string | undefined): WireMessage[] {
  const wire: WireMessage[] = [];
  const start = turnStart(messages);
  const names = createIdNames();
  const add = (role: WireMessage['role'], content: Block[]): void => {
    const last = wire.at(-1);
    if (last?.role === role) last.content.push(...content);
    else wire.push({ role, content });
  };
  messages.forEach((message, index) => {
    if (message.role === 'user')
      add('user', [...textBlocks(message.content), ...(message.images ?? []).map(imageBlock)]);
    else if (message.role === 'tool') add('user', [toolResultBlock(message, names.find(message.callId))]);
    else {
      const thoughts = thinking !== undefined && index >= start && message.toolCalls.length > 0;
      const calls = message.toolCalls.map((call) => toolUseBlock(call, names.make(call.id)));
      const before = thoughts ? signedThinking(message, thinking) : [];
      add('assistant', [...before, ...textBlocks(message.content), ...calls]);
    }
  });
  if (wire[0]?.role === 'assistant') wire.unshift(said('The conversation so far:'));
  if (wire.at(-1)?.role !== 'user') wire.push(said('Please continue.'));
  return wire;
}

/** Text-only messages go out as plain strings, also when several became one. */
export function plain({ role, content }: WireMessage): { role: string; content: string | Block[] } {
  const texts = content.flatMap((block) =>
    block.type === 'text' && block.cache_control === undefined ? [block.text] : [],
  );
  return { role, content: texts.length === content.length ? texts.join('\n\n') : content };
}

function toolUseBlock({ name, arguments: input }: ToolCall, id: string): Block {
  return { type: 'tool_use', id, name: wireToolName(name), input };
}

function said(text: string): WireMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** Ids of other providers may hold characters that this API refuses, or come twice; the same history gets the same ids. */
function createIdNames() {
  const used = new Set<string>();
  const current = new Map<string, string>();
  return {
    make(id: string): string {
      const base = id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call';
      let name = base;
      for (let number = 2; used.has(name); number++) name = `${base}_${number}`;
      used.add(name);
      current.set(id, name);
      return name;
    },
    find: (id: string): string => current.get(id) ?? id,
  };
}
