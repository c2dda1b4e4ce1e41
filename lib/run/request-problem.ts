import type { ModelMessage } from '../models/model.ts';

/**
 * What is wrong with the messages of a model request, or undefined (the request invariant): every tool call has exactly one result,
 * directly behind the message that made it, there are no other results, and ids are unique within a message.
 * O(messages), no copies.
 */
export function requestProblem(messages: readonly ModelMessage[]): string | undefined {
  const open = new Set<string>();
  let index = -1;
  for (const message of messages) {
    index++;
    if (message.role === 'tool') {
      if (!open.delete(message.callId))
        return `the result of "${message.callId}" (message ${index}) belongs to no call`;
      continue;
    }
    if (open.size > 0) return `the call "${[...open][0]}" has no result before message ${index}`;
    if (message.role !== 'assistant') continue;
    for (const { id } of message.toolCalls) {
      if (open.has(id)) return `the call "${id}" comes twice in message ${index}`;
      open.add(id);
    }
  }
  return open.size > 0 ? `the call "${[...open][0]}" has no result` : undefined;
}
