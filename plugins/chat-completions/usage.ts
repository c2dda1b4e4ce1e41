import { countOf, isRecord, recordOf, type Usage } from '../../lib/plugin-api/index.ts';

/** The token counts of a chunk, wherever this server puts them; undefined when it has none. */
export function usageOf(chunk: Record<string, unknown>, choice: Record<string, unknown>): Usage | undefined {
  const usage = [chunk.usage, recordOf(chunk.x_groq).usage, choice.usage].find(isRecord);
  if (usage === undefined) return undefined;
  const [input, output, total] = [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens].map(countOf);
  if (input === undefined && output === undefined && total === undefined) return undefined;
  const inputTokens = input ?? 0;
  const outputTokens = output ?? 0;
  const cached = countOf(recordOf(usage.prompt_tokens_details).cached_tokens) ?? countOf(usage.prompt_cache_hit_tokens);
  const reasoning = countOf(recordOf(usage.completion_tokens_details).reasoning_tokens);
  return {
    inputTokens,
    outputTokens,
    totalTokens: total ?? inputTokens + outputTokens,
    ...(cached ? { cachedInputTokens: cached } : {}),
    ...(reasoning ? { reasoningTokens: reasoning } : {}),
  };
}
