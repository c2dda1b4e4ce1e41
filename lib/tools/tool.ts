import type { SessionSummary } from '../wire/session.ts';
import type { ToolSchema } from '../wire/tool.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What a tool sees of the session it works for. */
export type SessionView = Readonly<SessionSummary> & { readonly tenantId: string; readonly rootId: string };

export interface ToolContext {
  readonly session: SessionView;
  readonly callId: string;
  readonly workspace: Workspace;
  /** Aborts on cancel and delete; after it the result is dropped. */
  readonly signal: AbortSignal;
  /** True when a person approved this very call. */
  readonly approved: boolean;
  /** A line for the people who watch (a `notice` of the session). */
  notify(message: string): void;
}

/**
 * A result: text for the model, or more. `isError` marks a failure that is told to the model like any other result.
 * `data` goes to clients only. Images that break the contract's rules are dropped by the runtime, with a marker in the text.
 */
export type ToolOutput =
  | string
  | {
      content: string;
      isError?: boolean;
      data?: unknown;
      images?: { mimeType: string; data: string; name?: string }[];
    };

/**
 * A tool. Arguments are validated against `parameters` before anything else happens, approval included.
 * `execute` may throw: the message becomes an error result and the run goes on.
 */
export interface Tool extends ToolSchema {
  /** Overrides `permission` for one call, for instance when the definition changed since it was seen. */
  permissionFor?(args: Record<string, unknown>, session: SessionView): 'auto' | 'ask';
  /** One line for the person who approves: what exactly will happen. Default: the tool's description. */
  describe?(args: Record<string, unknown>, session?: SessionView): string;
  execute(args: Record<string, unknown>, context: ToolContext): Promise<ToolOutput> | ToolOutput;
}
