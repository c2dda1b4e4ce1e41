import type { StoredMessage, ToolCall } from '../wire/message.ts';

/**
 * The tool calls of the last assistant message that have no result yet. Earlier ones always have: repair happens before
 * anything is appended.
 */
export function unansweredCalls(messages: readonly StoredMessage[]): ToolCall[] {
  const answered = new Set<string>();
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.role === 'tool' && message.toolCallId !== undefined) answered.add(message.toolCallId);
    else if (message?.role === 'assistant') return (message.toolCalls ?? []).filter((call) => !answered.has(call.id));
    else return [];
  }
  return [];
}

export const interruptedText =
  'No result: the run was interrupted before this call finished. It may or may not have had an effect and was not executed again. Verify the state of the workspace before relying on it.';

/** Stands in, for a model, for a result that is nowhere in the transcript. */
export function noResult(assistant: StoredMessage, call: ToolCall): StoredMessage {
  return errorResult(call, { id: `${assistant.id}-${call.id}`, createdAt: assistant.createdAt });
}

/** The result of a call that will never have one. */
export function errorResult(
  { id: toolCallId, name: toolName }: Pick<ToolCall, 'id' | 'name'>,
  about: Pick<StoredMessage, 'id' | 'createdAt'>,
): StoredMessage {
  return { ...about, role: 'tool', content: interruptedText, toolCallId, toolName, isError: true };
}
