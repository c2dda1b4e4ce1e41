import type { Checkpoint } from '../wire/checkpoint.ts';
import type { ModelInfo } from '../wire/model.ts';
import type { PluginInfo } from '../wire/plugin.ts';
import type { ToolSchema } from '../wire/tool.ts';
import type { Usage } from '../wire/usage.ts';

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
  tools: ToolSchema[];
  plugins: PluginInfo[];
  features: { streaming: boolean; approvals: boolean; persistence: boolean; multiSession: boolean };
}

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

export interface Restore {
  restored: Checkpoint;
  /** The state before it; null when no file was touched. */
  safety: Checkpoint | null;
  /** Which files had to be left alone, and why. */
  warning?: string;
}

/** A frame of the plugin stream: first `ready`, then one `plugins.changed` per save. */
export type PluginEvent =
  | { type: 'ready'; enabled: boolean; plugins: { id: string; revision: string }[] }
  | { type: 'plugins.changed'; plugins: { id: string; revision: string }[]; at: string };

/** `status`: several with commas between. `roots: 1`: without sub-agents. `q`: words of title, id, model or workspace. */
export interface SessionListQuery {
  limit?: number;
  cursor?: string;
  status?: string;
  roots?: 1;
  q?: string;
}
