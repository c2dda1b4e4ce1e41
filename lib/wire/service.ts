import type { ModelInfo } from './model.ts';
import type { PluginInfo } from './plugin.ts';
import type { ToolSchema } from './tool.ts';

/** Contract: HealthResponse. */
export interface Health {
  status: 'ok';
  name: string;
  version: string;
  protocol: string;
  uptimeMs: number;
  plugins: number;
  sessions: number;
}

/** Contract: BootstrapResponse. */
export interface Bootstrap {
  name: string;
  version: string;
  protocol: string;
  models: ModelInfo[];
  tools: readonly ToolSchema[];
  plugins: PluginInfo[];
  features: { streaming: boolean; approvals: boolean; persistence: boolean; multiSession: boolean };
}

/** What `GET /api/config` shows of the effective configuration. Of `plugins.config` what could be a secret reads `[hidden]`. */
export interface PublicConfig {
  name: string;
  server: {
    host: string;
    port: number;
    corsOrigins: string[];
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
  model: {
    default?: string | undefined;
    temperature?: number | undefined;
    maxTokens?: number | undefined;
    maxSteps: number;
  };
  agent: {
    workspace: string;
    systemPrompt: string;
    compaction: { enabled: boolean; threshold: number; keepRecent: number; fallbackContextWindow: number };
    retry: { attempts: number; baseDelayMs: number; maxDelayMs: number };
  };
  plugins: {
    directories: string[];
    allow?: string[] | undefined;
    hotReload: boolean;
    hotReloadIntervalMs: number;
    config: Record<string, unknown>;
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
  auth: { mode: 'none' | 'token' | 'accounts'; bootstrapName: string; workspaces: Record<string, string> };
  approvals: { timeoutMs: number };
  checkpoints: { enabled: 'auto' | boolean; maxFiles: number; exclude: string[] };
  log: { level: 'debug' | 'info' | 'warn' | 'error' | 'silent'; format: 'text' | 'json' };
}
