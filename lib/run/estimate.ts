import { limits } from '../wire/limits.ts';
import type { StoredMessage } from '../wire/message.ts';
import type { ToolSchema } from '../wire/tool.ts';

const charsPerToken = 4;
const messageOverhead = 4;
const imageTokens = 1_100;

/** Estimates prompt sizes by the contract's rule: characters / 4, an overhead per message, 1100 tokens per image. */
export interface Estimator {
  /** O(messages), each message measured once in its life. */
  messages(messages: readonly StoredMessage[]): number;
  prompt(system: string, tools: readonly ToolSchema[]): number;
}

/** Remembers the size of what it has seen: stored messages and schemas of tools never change. */
export function createEstimator(): Estimator {
  const sizes = new WeakMap<StoredMessage, number>();
  const sizeOf = (message: StoredMessage): number => {
    const known = sizes.get(message);
    if (known !== undefined) return known;
    const calls = message.toolCalls ? JSON.stringify(message.toolCalls).length : 0;
    const size =
      Math.ceil((sentChars(message) + calls) / charsPerToken) +
      messageOverhead +
      imageTokens * (message.images?.length ?? 0);
    sizes.set(message, size);
    return size;
  };
  const toolSizes = new WeakMap<ToolSchema, number>();
  const charsOfTool = (tool: ToolSchema): number => {
    const known = toolSizes.get(tool);
    if (known !== undefined) return known;
    const chars = JSON.stringify(tool).length;
    toolSizes.set(tool, chars);
    return chars;
  };
  return {
    messages: (messages) => messages.reduce((sum, message) => sum + sizeOf(message), 0),
    prompt: (system, tools) =>
      Math.ceil((system.length + tools.reduce((sum, tool) => sum + charsOfTool(tool), 0)) / charsPerToken),
  };
}

/** Tool results are cut before they are sent. */
function sentChars({ role, content }: StoredMessage): number {
  return role === 'tool' ? Math.min(content.length, limits.toolResultModelChars) : content.length;
}
