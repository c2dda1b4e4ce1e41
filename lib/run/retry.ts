import type { ProviderError } from '../models/model.ts';

export interface RetryPolicy {
  /** Total attempts; 1 means no retry. */
  attempts: number;
  baseDelayMs: number;
  maxDelayMs: number;
}

/**
 * How long to wait after failed attempt `attempt` (1 is the first), or undefined when the failure is final.
 * The provider's hint wins over the computed delay, capped by `maxDelayMs` (contract: Retries). `random` is in [0, 1).
 */
export function retryDelay(
  policy: RetryPolicy,
  failure: { attempt: number; error: ProviderError; random: number },
): number | undefined {
  const { attempt, error, random } = failure;
  if (!error.retryable || attempt >= policy.attempts) return undefined;
  if (error.retryAfterMs !== undefined) return Math.min(error.retryAfterMs, policy.maxDelayMs);
  const ceiling = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attempt - 1));
  return Math.round(ceiling * (0.5 + random / 2));
}
