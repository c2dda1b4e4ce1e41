import type { Clock, Undo } from '../base/clock.ts';
import type { Model } from '../models/model.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { SessionView, Tool } from '../tools/tool.ts';
import type { SessionEvent } from '../wire/event.ts';
import type { StoredMessage } from '../wire/message.ts';
import type { ToolSchema } from '../wire/tool.ts';
import type { Usage } from '../wire/usage.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What a guard is asked (contract: SessionGuardContext). */
export interface SessionGuardContext {
  action: 'create' | 'run';
  tenantId: string;
  sessionId?: string;
  request?: { title?: string; model?: string; workspace?: string };
}

/** Synchronous; throwing a SessionGuardError is a veto (429), anything else a 500. So is a promise: nobody could wait for it. */
export type SessionGuard = (context: SessionGuardContext) => void;

/** A paragraph for the system prompt of a run, at most a million characters; empty or undefined adds nothing. Asked once per run. */
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
  /** At most 32 MB as it is sent. */
  body?: unknown;
}

export interface PluginRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Starts with `/api/`; `:name` segments become `params`. */
  path: string;
  /** Runs before authentication; the handler must verify its own credential. */
  public?: boolean;
  /** For administrators only: who is none gets 403 `forbidden` before the body is read. Not with `public`. */
  admin?: boolean;
  /**
   * Asked before the body is read, after authentication unless the route is public; throw ServiceError to refuse.
   * Has 30 seconds, as `handler` has; `signal` aborts behind them.
   */
  authorize?(request: { headers: Headers; params: Record<string, string>; signal: AbortSignal }): void | Promise<void>;
  handler(request: PluginRouteRequest): PluginRouteResponse | undefined | Promise<PluginRouteResponse | undefined>;
}

/** What a session's run came to. `interrupted` when the service stopped during it. */
export type SessionOutcome =
  | { status: 'completed' | 'cancelled' | 'max_steps' | 'interrupted'; usage: Usage }
  | { status: 'failed'; error: string; usage: Usage };

export interface SessionRequest {
  tenantId: string;
  title?: string;
  model?: string;
  workspace?: string;
  systemPrompt?: string;
  /** Makes it a child: the session it works for, and in which role. */
  parent?: { sessionId: string; role: string };
}

/** What holds for one run that a plugin starts. */
export interface SendOptions {
  maxSteps?: number;
  toolNames?: ReadonlySet<string>;
  instructions?: string;
  /** The signal of a tool call: the run ends as the run of that call does, cancelled or interrupted. */
  signal?: AbortSignal;
  /** With `start`: called once the session exists and before its run begins. */
  created?: (session: SessionView) => void;
}

/** A run that was started. `outcome` resolves when it is over, undefined when its session was deleted; it never rejects. */
export interface StartedRun {
  runId: string;
  outcome: Promise<SessionOutcome | undefined>;
}

/** Sessions and runs for plugins that start work by themselves: sub-agents, triggers. Guards apply as to any client. */
export interface SessionsService {
  create(request: SessionRequest): Promise<SessionView>;
  get(sessionId: string): SessionView | undefined;
  /** Starts a run. Rejects with ServiceError `session_busy`, a rule of messages, or a guard's veto. */
  send(sessionId: string, content: string, options?: SendOptions): Promise<StartedRun>;
  /** Creates a session and sends its first message; when that is refused, the session is gone again. */
  start(
    request: SessionRequest,
    content: string,
    options?: SendOptions,
  ): Promise<StartedRun & { session: SessionView }>;
  /** Resolves when the session has no active run; undefined when there was none, or it was deleted. Never rejects. */
  settled(sessionId: string): Promise<SessionOutcome | undefined>;
  messages(sessionId: string): Promise<readonly StoredMessage[]>;
  cancel(sessionId: string): boolean;
}

/** The capabilities that the service provides, by name; a plugin may provide more under names of its own. */
export interface Services {
  tools: { register(tool: Tool): Undo; schemas(): readonly ToolSchema[] };
  models: { register(model: Model): Undo; list: ModelRegistry['list'] };
  'http.routes': { register(route: PluginRoute): Undo };
  'session.guards': { register(guard: SessionGuard): Undo };
  'session.prompts': { register(source: PromptSource): Undo };
  sessions: SessionsService;
  /** Opens the workspace of a session outside a tool call, for instance in a prompt source. */
  workspaces: { open(directory: string): Promise<Workspace> };
  'tenant.usage': {
    /** Sessions kept, runs active, lifetime tokens. O(1). */
    of(tenantId: string): { sessions: number; running: number; tokens: number };
    /** Every tenant that has sessions or that an administrator has made, and `default`. */
    tenants(): string[];
  };
  'service.info': {
    readonly version: string;
    readonly authMode: 'none' | 'token' | 'accounts';
    readonly dataDirectory: string;
    /** The ports this service listens on. */
    ownPorts(): number[];
  };
  /** The time, and timers that tests can turn. Cancel timers in `onDispose`. */
  clock: Clock;
  /** Everything that is published, of every tenant. `fn` must be quick and must not throw: it runs before the next event. */
  events: { subscribe(fn: (event: SessionEvent) => void): Undo };
  /** A small durable value per key, for instance what was fired last. */
  state: { read(key: string): Promise<string | undefined>; write(key: string, value: string): Promise<void> };
}
