import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../lib/base/clock.ts';
import type { ToolResult } from '../../lib/wire/message.ts';
import { callOf, type ScriptedModel, scriptedModel } from '../helpers/scripted-model.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { only, type TestSession, withSession } from '../helpers/with-app.ts';

/** A server of the bridge as `GET /api/mcp` shows it. */
export interface ShownServer {
  name: string;
  state: string;
  error?: string;
  tools: string[];
  refused: { name: string; reason: string }[];
  reconnects: number;
  pid?: number;
}

/** A service with MCP servers and one session. */
export interface BridgeBench {
  app: TestApp;
  session: TestSession;
  model: ScriptedModel;
  /** Lets the model call one tool, and resolves with its result at the end of the run. */
  call(tool: string, args?: Record<string, unknown>): Promise<ToolResult>;
  server(name: string): Promise<ShownServer>;
}

export function withBridge(
  servers: Record<string, unknown>,
  use: (bench: BridgeBench) => Promise<void>,
  { ms, ...options }: { clock?: Clock; ms?: number } = {},
): Promise<void> {
  const model = scriptedModel();
  const settings = {
    model: { default: 'scripted' },
    plugins: { directories: [], config: { 'mcp-bridge': { servers } } },
  };
  const run = (app: TestApp, session: TestSession): Promise<void> =>
    use({
      app,
      session,
      model,
      async call(tool, args = {}) {
        model.add({ toolCalls: [callOf(tool, args)] });
        await session.send('go');
        const [finished] = only(await session.until('run.finished'), 'tool.finished');
        if (finished === undefined) throw new Error(`${tool} was not called`);
        return finished.result;
      },
      async server(name) {
        const { servers: all } = await app.call<{ servers: ShownServer[] }>('GET', '/api/mcp', {});
        const found = all.find((server) => server.name === name);
        if (found === undefined) throw new Error(`there is no server ${name}`);
        return found;
      },
    });
  return withSession({ bundled: true, models: [model], settings, ...options }, run, ms);
}

/** A server from the development dependencies. */
export function packaged(name: 'everything' | 'filesystem' | 'memory', ...args: string[]) {
  const program = `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`;
  return { command: process.execPath, args: [program, ...args], approval: 'auto' };
}

export interface OddServer {
  /** Its entry in the configuration. */
  definition: { command: string; args: string[]; approval: string };
  /** What it offers when asked the next time. */
  offer(...tools: object[]): void;
  /** What it has written down: starts, calls and cancellations. */
  notes(): string[];
}

/** A server that misbehaves; see fixtures/odd-server.mjs. */
export function oddServer(tools: readonly string[], mode?: string): OddServer {
  const directory = tempDirectory('odd');
  const offer = (...list: object[]): void => writeFileSync(join(directory, 'tools.json'), JSON.stringify(list));
  offer(...tools.map((name) => ({ name, description: `Does ${name}.` })));
  const notes = join(directory, 'notes.txt');
  return {
    definition: {
      command: process.execPath,
      args: ['test/mcp/fixtures/odd-server.mjs', directory, ...(mode === undefined ? [] : [mode])],
      approval: 'auto',
    },
    offer,
    notes: () => (existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : []),
  };
}
