import type { AuthMode } from '../auth/principal.ts';
import type { PublicConfig } from '../wire/service.ts';

/**
 * The effective configuration (contract: Configuration keys). Every value is present and checked; paths are absolute.
 * A section taken from PublicConfig has no key that must not be shown; publicConfig still names each key that is.
 */
export interface Config {
  name: string;
  server: {
    host: string;
    port: number;
    /** Empty means none. */
    token: string;
    corsOrigins: string[];
    /** True when the operator set `corsOrigins`: the cross-site guard then steps back. */
    corsOriginsExplicit: boolean;
    bodyLimitBytes: number;
    /** Absolute; the console of the package when the configured directory is not there. */
    webRoot: string;
    allowedHosts: string[];
    crossSiteGuard: 'auto' | 'off';
    /** How long a stop waits for active runs. */
    drainMs: number;
    /** How late the event loop may be, for two seconds, before new work is refused as `overloaded`. 0: never. */
    overloadLagMs: number;
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
  auth: { mode: AuthMode; bootstrapToken: string; bootstrapName: string; workspaces: Record<string, string> };
  approvals: PublicConfig['approvals'];
  checkpoints: PublicConfig['checkpoints'];
  log: PublicConfig['log'];
}
