import type { FinishReason } from '../../lib/plugin-api/index.ts';

/** What a stop reason means. One that is missing or unknown is an ordinary end, with or without tool calls. */
export function finishReasonOf(reason: string, hasToolCalls: boolean): FinishReason {
  const word = reason.toLowerCase();
  const known = Object.hasOwn(meanings, word) ? meanings[word] : undefined;
  if (known !== undefined && known !== 'stop') return known;
  return hasToolCalls ? 'tool_calls' : 'stop';
}

const meanings: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  tool_calls: 'tool_calls',
  tool_use: 'tool_calls',
  function_call: 'tool_calls',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  content_filter: 'content_filter',
  content_filtered: 'content_filter',
  sensitive: 'content_filter',
  safety: 'content_filter',
  refusal: 'content_filter',
  error: 'error',
};
