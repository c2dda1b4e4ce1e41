import { limits } from '../wire/limits.ts';
import type { StoredMessage } from '../wire/message.ts';
import type { ToolSchema } from '../wire/tool.ts';

const charsPerToken = 4;
const messageOverhead = 4;
const imageTokens = 1_100;

/** Estimates prompt sizes by the contract's rule: characters / 4, an overhead per message, 1100 tokens per image. */
export interface Estimator {
  /** O(messages that came since the list was estimated last); each message is measured once in its life. */
  messages(messages: readonly StoredMessage[]): number;
  prompt(system: string, tools: readonly ToolSchema[]): number;
}

/** What the first `count` messages of a list come to, with those at both ends of them. */
interface Sum {
  count: number;
  tokens: number;
  first: StoredMessage | undefined;
  last: StoredMessage | undefined;
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
  const sums = new WeakMap<readonly StoredMessage[], Sum>();
  const sumOf = (messages: readonly StoredMessage[]): number => {
    const known = sums.get(messages);
    // Every change keeps a beginning or puts another one in front of the rest: what has both ends has all between them.
    const isPrefix = known !== undefined && known.first === messages[0] && known.last === messages[known.count - 1];
    let { count, tokens } = isPrefix ? known : { count: 0, tokens: 0 };
    for (; count < messages.length; count++) {
      const message = messages[count];
      if (message) tokens += sizeOf(message);
    }
    sums.set(messages, { count, tokens, first: messages[0], last: messages.at(-1) });
    return tokens;
  };
  return {
    messages: sumOf,
    prompt: (system, tools) =>
      Math.ceil((system.length + tools.reduce((sum, tool) => sum + charsOfTool(tool), 0)) / charsPerToken),
  };
}

/** Tool results are cut before they are sent. */
function sentChars({ role, content }: StoredMessage): number {
  return role === 'tool' ? Math.min(content.length, limits.toolResultModelChars) : content.length;
}
