/** Token counts of a model call, a run or a session (contract: Usage). */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  cachedInputTokens?: number;
  reasoningTokens?: number;
}

/** `GET /api/usage`: all sessions that a tenant keeps. */
export interface TenantUsage {
  tenantId: string;
  sessions: number;
  usage: Usage;
}

/** Contract: Quota usage record. A limit that is absent does not exist. */
export interface QuotaUsage {
  tenantId: string;
  sessions: number;
  running: number;
  tokens: number;
  limits: { maxSessions?: number; maxConcurrentRuns?: number; maxTokens?: number };
}

export const noUsage: Usage = Object.freeze({ inputTokens: 0, outputTokens: 0, totalTokens: 0 });

/** Field-wise sum; the optional counts appear as soon as one side has them. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    totalTokens: a.totalTokens + b.totalTokens,
  };
  if (a.cachedInputTokens !== undefined || b.cachedInputTokens !== undefined)
    sum.cachedInputTokens = (a.cachedInputTokens ?? 0) + (b.cachedInputTokens ?? 0);
  if (a.reasoningTokens !== undefined || b.reasoningTokens !== undefined)
    sum.reasoningTokens = (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0);
  return sum;
}
