import { systemClock } from '../../lib/base/clock.ts';
import { createModelRegistry } from '../../lib/models/registry.ts';
import type { PluginRoute, PluginRouteRequest, PromptSource, SessionGuard } from '../../lib/plugin-api/index.ts';
import { createPluginHost } from '../../lib/plugins/create-plugin-host.ts';
import { createToolRegistry } from '../../lib/tools/registry.ts';
import type { SessionView, Tool, ToolContext, ToolOutput } from '../../lib/tools/tool.ts';
import { createArgumentValidator } from '../../lib/tools/validate-arguments.ts';
import type { PluginInfo } from '../../lib/wire/plugin.ts';
import { noUsage } from '../../lib/wire/usage.ts';
import { createWorkspaces } from '../../lib/workspace/create-workspaces.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { recordingLog } from './plugin-folders.ts';

/** A plugin (a bundled one as it was built, or one of `directories`), loaded by a real host into real registries, working in one directory. */
export interface BundledPlugin {
  readonly info: PluginInfo | undefined;
  readonly tools: ReturnType<typeof createToolRegistry>;
  readonly models: ReturnType<typeof createModelRegistry>;
  readonly guards: SessionGuard[];
  readonly routes: PluginRoute[];
  /** Calls a tool as a run does: arguments are checked first. */
  call(tool: string, args: Record<string, unknown>): Promise<Exclude<ToolOutput, string>>;
  /** What the plugin adds to the system prompt. */
  prompt(): Promise<string[]>;
  close(): Promise<void>;
}

export async function loadBundled(
  name: string,
  options: {
    config?: Record<string, unknown>;
    workspace?: string;
    services?: Record<string, unknown>;
    directories?: string[];
  } = {},
): Promise<BundledPlugin> {
  const { workspace = tempDirectory('workspace') } = options;
  const tools = createToolRegistry();
  const guards: SessionGuard[] = [];
  const routes: PluginRoute[] = [];
  const prompts: PromptSource[] = [];
  const models = createModelRegistry(undefined);
  const workspaces = createWorkspaces({ config: workspaceConfig, ownPaths: [] });
  const validate = createArgumentValidator();
  const host = createPluginHost({
    config: {
      plugins: {
        directories: options.directories ?? [],
        allow: [name],
        config: options.config === undefined ? {} : { [name]: options.config },
        hotReload: false,
        hotReloadIntervalMs: 1000,
      },
      auth: workspaceConfig.auth,
    },
    bundledDirectory: 'dist/plugins',
    cwd: process.cwd(),
    clock: systemClock,
    log: recordingLog([]),
    services: {
      tools,
      models,
      workspaces,
      clock: systemClock,
      'http.routes': listOf(routes),
      'session.guards': listOf(guards),
      'session.prompts': listOf(prompts),
      ...options.services,
    },
  });
  await within(10_000, host.load());
  const session = sessionIn(workspace);
  return {
    info: host.list().find(({ id }) => id === name),
    tools,
    models,
    guards,
    routes,
    async call(toolName, args) {
      const tool = tools.get(toolName) as Tool;
      const problem = await validate(tool, args);
      if (problem !== undefined) return { content: problem, isError: true };
      const context: ToolContext = {
        session,
        callId: 'call_1',
        workspace: await workspaces.open(workspace),
        signal: new AbortController().signal,
        approved: false,
        notify: () => {},
      };
      const output = await within(10_000, Promise.resolve(tool.execute(args, context)));
      return typeof output === 'string' ? { content: output } : output;
    },
    async prompt() {
      const parts = await Promise.all(prompts.map((source) => source(session, new AbortController().signal)));
      return parts.filter((part) => part !== undefined);
    },
    close: () => host.close(),
  };
}

function listOf<T>(items: T[]): { register(item: T): () => void } {
  return {
    register(item) {
      items.push(item);
      return () => void items.splice(items.indexOf(item), 1);
    },
  };
}

function sessionIn(workspace: string): SessionView {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    id: 'ses_1',
    title: 'Test',
    createdAt: at,
    updatedAt: at,
    status: 'running',
    model: 'demo',
    messageCount: 1,
    workspace,
    usage: noUsage,
    tenantId: 'default',
    rootId: 'ses_1',
  };
}

const workspaceConfig = {
  agent: {
    workspace: '/',
    systemPrompt: '',
    compaction: { enabled: true, threshold: 0.8, keepRecent: 8, fallbackContextWindow: 128_000 },
    retry: { attempts: 1, baseDelayMs: 1, maxDelayMs: 1 },
  },
  auth: { mode: 'none' as const, bootstrapToken: '', bootstrapName: 'Admin', workspaces: {} },
  storage: {
    directory: '/nonexistent',
    driver: 'file' as const,
    durability: 'process' as const,
    minFreeBytes: 0,
    reserveBytes: 0,
  },
};

/** A request as a route of a plugin gets it: a GET without anything, but for these fields. */
export function routeRequest(fields: Partial<PluginRouteRequest>): PluginRouteRequest {
  return {
    method: 'GET',
    params: {},
    query: {},
    body: undefined,
    rawBody: new Uint8Array(),
    headers: new Headers(),
    signal: new AbortController().signal,
    ...fields,
  };
}
