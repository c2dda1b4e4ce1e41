import type { PublicConfig } from '../wire/service.ts';

/**
 * The effective configuration (contract: Configuration keys). Every value is present and checked; paths are absolute.
 * A section taken from PublicConfig has no key that must not be shown; publicConfig still names each key that is.
 */
export interface Config {
  name: string;
  server: PublicConfig['server'] & {
    /** Empty means none. */
    token: string;
    /** True when the operator set `corsOrigins`: the cross-site guard then steps back. */
    corsOriginsExplicit: boolean;
  };
  model: { default?: string; temperature?: number; maxTokens?: number; maxSteps: number };
  agent: PublicConfig['agent'];
  plugins: {
    directories: string[];
    /** Absent: everything found may load. */
    allow?: string[];
    config: Record<string, Record<string, unknown>>;
    hotReload: boolean;
    hotReloadIntervalMs: number;
  };
  storage: PublicConfig['storage'];
  auth: PublicConfig['auth'] & { bootstrapToken: string };
  approvals: PublicConfig['approvals'];
  checkpoints: PublicConfig['checkpoints'];
  log: PublicConfig['log'];
}
