import { countOf, isRecord, type Usage } from '../../lib/plugin-api/index.ts';

/** Adds up what the events of a stream report; later counts replace earlier ones. */
export function createUsageCounter() {
  const seen: Record<string, number> = {};
  return {
    add(usage: unknown): void {
      if (!isRecord(usage)) return;
      for (const field of fields) {
        const count = countOf(usage[field]);
        if (count !== undefined) seen[field] = count;
      }
    },
    /** Undefined when nothing was reported. Input tokens include those read from and written to the cache. */
    total(): Usage | undefined {
      if (Object.keys(seen).length === 0) return undefined;
      const cached = seen.cache_read_input_tokens ?? 0;
      const inputTokens = (seen.input_tokens ?? 0) + (seen.cache_creation_input_tokens ?? 0) + cached;
      const outputTokens = seen.output_tokens ?? 0;
      const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
      return cached > 0 ? { ...usage, cachedInputTokens: cached } : usage;
    },
  };
}

const fields = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
