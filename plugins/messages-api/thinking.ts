import { isRecord, listOf, type ModelMessage, recordOf } from '../../lib/plugin-api/index.ts';
import type { ThinkingBlock } from './blocks.ts';

/** What a message keeps of its thinking: only the model that signed the blocks may get them back. */
export function thinkingMeta(model: string, blocks: readonly ThinkingBlock[]): Record<string, unknown> | undefined {
  return blocks.length === 0 ? undefined : { thinking: { model, blocks } };
}

/** The blocks that this model signed for this message, in their order. */
export function signedThinking(message: ModelMessage, model: string): ThinkingBlock[] {
  if (message.role !== 'assistant') return [];
  const kept = recordOf(message.meta?.thinking);
  return kept.model === model ? listOf(kept.blocks).flatMap(readBlock) : [];
}

/**
 * Where the current turn begins: after the last user message that is not merely said beside tool results. A turn that an
 * assistant message ends is over.
 */
export function turnStart(messages: readonly ModelMessage[]): number {
  if (messages.at(-1)?.role === 'assistant') return messages.length;
  let start = 0;
  let afterResults = false;
  messages.forEach(({ role }, index) => {
    if (role === 'user' && !afterResults) start = index;
    if (role !== 'user') afterResults = role === 'tool';
  });
  return start;
}

/**
 * The API refuses thinking in a turn whose tool calls came without it, from another model for instance, or after a text
 * of their own. Such a turn ends without thinking; the next one has it again.
 */
export function canThink(messages: readonly ModelMessage[], model: string): boolean {
  const start = turnStart(messages);
  return messages.every((message, index) => {
    if (index < start || message.role !== 'assistant' || message.toolCalls.length === 0) return true;
    return messages[index - 1]?.role !== 'assistant' && signedThinking(message, model).length > 0;
  });
}

function readBlock(block: unknown): ThinkingBlock[] {
  if (!isRecord(block)) return [];
  const { type, thinking, signature, data } = block;
  if (type === 'thinking' && typeof thinking === 'string' && typeof signature === 'string' && signature !== '')
    return [{ type, thinking, signature }];
  return type === 'redacted_thinking' && typeof data === 'string' && data !== '' ? [{ type, data }] : [];
}
