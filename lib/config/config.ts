import type { AuthMode } from '../auth/principal.ts';
import type { LogLevel } from '../base/log.ts';

/** The effective configuration (contract: Configuration keys). Every value is present and checked; paths are absolute. */
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
  agent: {
    workspace: string;
    systemPrompt: string;
    compaction: { enabled: boolean; threshold: number; keepRecent: number; fallbackContextWindow: number };
    retry: { attempts: number; baseDelayMs: number; maxDelayMs: number };
  };
  plugins: {
    directories: string[];
    /** Absent: everything found may load. */
    allow?: string[];
    config: Record<string, Record<string, unknown>>;
    hotReload: boolean;
    hotReloadIntervalMs: number;
  };
  storage: {
    directory: string;
    driver: 'file' | 'sqlite';
    durability: 'full' | 'process';
    /** Below this much free space new work is refused as `storage_low`. 0: never. */
    minFreeBytes: number;
    /** What is kept on the disk, and given back when it is full, for the ends of runs and deletions. 0: nothing. */
    reserveBytes: number;
  };
  auth: { mode: AuthMode; bootstrapToken: string; bootstrapName: string; workspaces: Record<string, string> };
  approvals: { timeoutMs: number };
  checkpoints: { enabled: 'auto' | boolean; maxFiles: number; exclude: string[] };
  log: { level: LogLevel; format: 'text' | 'json' };
}
