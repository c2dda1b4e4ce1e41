import { defaulted, type Infer, integer, min, object, optional, record, string } from '../../lib/plugin-api/index.ts';

const limit = min(integer(), 0);

/** What one tenant may use; an omitted field means no limit. */
export const Limits = object({
  /** Sessions kept, those of sub-agents included. */
  maxSessions: optional(limit),
  maxConcurrentRuns: optional(limit),
  /** Lifetime tokens, summed over the tenant's sessions. */
  maxTokens: optional(limit),
});
export type Limits = Infer<typeof Limits>;

export const Options = object({
  default: defaulted(Limits, {}),
  tenants: defaulted(record(string(), Limits), {}),
});
export type Options = Infer<typeof Options>;

/** A tenant that is listed does not inherit the default. */
export function limitsOf(options: Options, tenantId: string): Limits {
  return Object.hasOwn(options.tenants, tenantId) ? (options.tenants[tenantId] ?? {}) : options.default;
}
