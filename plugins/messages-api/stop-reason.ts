import type { FinishReason } from '../../lib/plugin-api/index.ts';

/** What a stop reason means. One that is missing or unknown is an ordinary end, with or without tool calls. */
export function finishReasonOf(reason: string, hasToolCalls: boolean): FinishReason {
  const known = Object.hasOwn(meanings, reason) ? meanings[reason] : undefined;
  return known ?? (hasToolCalls ? 'tool_calls' : 'stop');
}

const meanings: Readonly<Record<string, FinishReason>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};
