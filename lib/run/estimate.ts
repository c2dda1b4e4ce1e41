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

/** Remembers the size of messages it has seen; messages never change once they are stored. */
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
  return {
    messages: (messages) => messages.reduce((sum, message) => sum + sizeOf(message), 0),
    prompt: (system, tools) =>
      Math.ceil((system.length + tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0)) / charsPerToken),
  };
}

/** Tool results are cut before they are sent. */
function sentChars({ role, content }: StoredMessage): number {
  return role === 'tool' ? Math.min(content.length, limits.toolResultModelChars) : content.length;
}
