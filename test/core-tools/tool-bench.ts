import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import type { PluginContext, Services, Tool, ToolOutput } from '../../lib/plugin-api/index.ts';
import type { Workspace } from '../../lib/workspace/workspace.ts';
import plugin from '../../plugins/core-tools/index.ts';
import type { CoreToolsOptions } from '../../plugins/core-tools/options.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { workspacesIn } from '../workspace/open-workspace.ts';

export type Result = Exclude<ToolOutput, string>;

/** The tools of the plugin in a fresh workspace. */
export interface ToolBench {
  workspace: Workspace;
  tools: Map<string, Tool>;
  info: Partial<Info>;
  /** Calls a tool as a run does; a throw becomes an error result. */
  call(
    name: string,
    args?: Record<string, unknown>,
    how?: { signal?: AbortSignal; approved?: boolean },
  ): Promise<Result>;
  /** Unloads the plugin. */
  close(): Promise<void>;
}

export type Info = Services['service.info'];

export async function createToolBench(
  files: Record<string, string | Uint8Array> = {},
  options: Partial<CoreToolsOptions> = {},
  info: Partial<Info> = {},
): Promise<ToolBench> {
  const base = tempDirectory('tools');
  const root = join(base, 'work');
  await mkdir(root);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(root, dirname(path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  const data = join(root, '.service');
  const workspace = await workspacesIn(base, { data }).open(root);
  const tools = new Map<string, Tool>();
  const disposers: (() => void | Promise<void>)[] = [];
  const known = { dataDirectory: data, ...info };
  await plugin.apply(pluginContext(tools, disposers, known, options));
  return {
    workspace,
    tools,
    info: known,
    call: (name, args = {}, how = {}) => {
      const tool = tools.get(name);
      if (!tool) throw new Error(`There is no tool ${name}.`);
      return callTool(tool, args, { workspace, how });
    },
    close: async () => {
      for (const dispose of disposers) await dispose();
    },
  };
}

function pluginContext(
  tools: Map<string, Tool>,
  disposers: (() => void | Promise<void>)[],
  info: Partial<Info>,
  options: Partial<CoreToolsOptions>,
): PluginContext<CoreToolsOptions> {
  const services: Partial<Services> = {
    tools: {
      register(tool) {
        assert.not.ok(tools.has(tool.name));
        tools.set(tool.name, tool);
        return () => tools.delete(tool.name);
      },
      schemas: () => [],
    },
    'service.info': { version: '0', authMode: 'none', dataDirectory: '', ownPorts: () => [], ...info },
  };
  const parser = plugin.options;
  assert.ok(parser && 'create' in parser);
  return {
    plugin: {
      id: 'core-tools',
      name: 'core-tools',
      version: '1.0.0',
      directory: join(process.cwd(), 'dist/plugins/core-tools'),
    },
    options: parser.create(options),
    log: silent,
    signal: new AbortController().signal,
    use: (name: string) => services[name as keyof Services] as never,
    provide() {},
    onDispose: (fn) => disposers.push(fn),
  };
}

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

export interface How {
  signal?: AbortSignal;
  approved?: boolean;
}

/** Executes a tool as a run does; a throw becomes an error result. */
export async function callTool(
  tool: Tool,
  args: Record<string, unknown>,
  { workspace, how = {} }: { workspace?: Workspace; how?: How },
): Promise<Result> {
  try {
    const output = await tool.execute(args, {
      session: {
        id: 'ses_1',
        title: 'Test',
        createdAt: '',
        updatedAt: '',
        status: 'running',
        model: 'demo',
        messageCount: 0,
        workspace: workspace?.root ?? '/',
        usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
        tenantId: 'default',
        rootId: 'ses_1',
      },
      callId: 'call_1',
      workspace: workspace as Workspace,
      signal: how.signal ?? AbortSignal.timeout(60_000),
      approved: how.approved ?? false,
      notify() {},
    });
    return typeof output === 'string' ? { content: output } : output;
  } catch (error) {
    return { content: error instanceof Error ? error.message : String(error), isError: true };
  }
}
