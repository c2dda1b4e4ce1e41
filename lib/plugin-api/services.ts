import type { Undo } from '../base/clock.ts';
import type { Model } from '../models/model.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { SessionView, Tool } from '../tools/tool.ts';
import type { ToolSchema } from '../wire/tool.ts';

/** What a guard is asked (contract: SessionGuardContext). */
export interface SessionGuardContext {
  action: 'create' | 'run';
  tenantId: string;
  sessionId?: string;
  request?: { title?: string; model?: string; workspace?: string };
}

/** Synchronous; throwing a SessionGuardError is a veto (429), anything else a 500. */
export type SessionGuard = (context: SessionGuardContext) => void;

/** A paragraph for the system prompt of a run; empty or undefined adds nothing. Asked once per run. */
export type PromptSource = (
  session: SessionView,
  signal: AbortSignal,
) => string | undefined | Promise<string | undefined>;

export interface PluginRouteRequest {
  method: string;
  params: Record<string, string>;
  query: Record<string, string>;
  /** Decoded JSON; undefined without a body. */
  body: unknown;
  /** The bytes of the body, for signatures. */
  rawBody: Uint8Array;
  headers: Headers;
  /** Absent on public routes. */
  principal?: { tenantId: string; admin: boolean; userId?: string; name?: string };
  signal: AbortSignal;
}

export interface PluginRouteResponse {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface PluginRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Starts with `/api/`; `:name` segments become `params`. */
  path: string;
  /** Runs before authentication; the handler must verify its own credential. */
  public?: boolean;
  /** Public routes: asked before the body is read; throw ServiceError to refuse. */
  authorize?(request: { headers: Headers; params: Record<string, string> }): void;
  handler(request: PluginRouteRequest): PluginRouteResponse | undefined | Promise<PluginRouteResponse | undefined>;
}

/** The capabilities that the service provides, by name; a plugin may provide more under names of its own. */
export interface Services {
  tools: { register(tool: Tool): Undo; schemas(): ToolSchema[] };
  models: { register(model: Model): Undo; list: ModelRegistry['list'] };
  'http.routes': { register(route: PluginRoute): Undo };
  'session.guards': { register(guard: SessionGuard): Undo };
  'session.prompts': { register(source: PromptSource): Undo };
}
