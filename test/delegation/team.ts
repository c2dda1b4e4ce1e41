import type { Model, ModelRequest } from '../../lib/models/model.ts';
import type { Tool } from '../../lib/tools/tool.ts';
import type { SessionSummary } from '../../lib/wire/session.ts';
import { callOf, type Reply } from '../helpers/scripted-model.ts';
import type { TestApp, TestAppOptions } from '../helpers/test-app.ts';
import { only, type TestSession, watch, withApp } from '../helpers/with-app.ts';

/** A model for several sessions at once: the first word of the last user message chooses the part, its steps are played in order. */
export interface TeamModel extends Model {
  readonly requests: ModelRequest[];
  /** The most calls that were going on at the same time. */
  readonly busiest: number;
}

export function teamModel(parts: Record<string, Reply[]>, id = 'team'): TeamModel {
  const requests: ModelRequest[] = [];
  let busy = 0;
  let busiest = 0;
  return {
    info: { id, provider: 'test', supportsTools: true },
    requests,
    get busiest() {
      return busiest;
    },
    async complete(request, io) {
      requests.push(structuredClone(request));
      const at = request.messages.findLastIndex(({ role }) => role === 'user');
      const [word = ''] = (request.messages[at]?.content ?? '').split(/\s/);
      const step = request.messages.slice(at).filter(({ role }) => role === 'assistant').length;
      const reply = parts[word]?.[step] ?? { content: `${word} is done` };
      busy += 1;
      busiest = Math.max(busiest, busy);
      try {
        const {
          content = '',
          toolCalls = [],
          ...rest
        } = typeof reply === 'function' ? await reply(request, io) : reply;
        io.signal.throwIfAborted();
        const finishReason = toolCalls.length > 0 ? 'tool_calls' : 'stop';
        const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
        return { usage, finishReason, ...rest, content, toolCalls };
      } finally {
        busy -= 1;
      }
    },
  };
}

/** Hands `task` to a sub-agent. */
export function delegating(task: string, more: object = {}): Reply {
  return { toolCalls: [callOf('delegate', { task, ...more })] };
}

export function delegatingMany(tasks: readonly (string | object)[]): Reply {
  const given = tasks.map((task) => (typeof task === 'string' ? { task } : task));
  return { toolCalls: [callOf('delegate_many', { tasks: given })] };
}

/** Never answers by itself. */
export const forever: Reply = (_request, io) =>
  new Promise((_, reject) => io.signal.addEventListener('abort', () => reject(io.signal.reason)));

export function autoTool(name: string, execute: Tool['execute'] = () => 'ok'): Tool {
  return { name, description: name, parameters: { type: 'object', properties: {} }, permission: 'auto', execute };
}

export function askTool(name: string, execute: Tool['execute'] = () => 'ok'): Tool {
  return { ...autoTool(name, execute), permission: 'ask' };
}

export interface TeamOptions extends Omit<TestAppOptions, 'settings'> {
  /** Of the plugin. */
  config?: object;
  /** Other plugins that are allowed, with their configuration. */
  others?: Record<string, object>;
  settings?: object;
}

/** A service with the sub-agents plugin and one session that is watched. */
export function withTeam(
  { config = {}, others = {}, settings = {}, ...options }: TeamOptions,
  use: (app: TestApp, session: TestSession) => Promise<void>,
): Promise<void> {
  const plugins = {
    directories: [],
    allow: ['sub-agents', ...Object.keys(others)],
    config: { 'sub-agents': config, ...others },
  };
  return withApp({ ...options, bundled: true, settings: { plugins, ...settings } }, async (app) => {
    const session = await watch(app, (await app.newSession()).id);
    await use(app, session);
    await session.stream.close();
  });
}

/** Sends "boss" and gives the result of the delegating call, once the run has ended. */
export async function resultOf(session: TestSession) {
  await session.send('boss');
  const [finished] = only(await session.until('run.finished'), 'tool.finished');
  if (!finished) throw new Error('no tool was called');
  return finished.result;
}

/** The sessions below the one that is watched, oldest first. */
export async function childrenIn(app: TestApp): Promise<SessionSummary[]> {
  const { sessions } = await app.call<{ sessions: SessionSummary[] }>('GET', '/api/sessions', {});
  return sessions.filter(({ parentId }) => parentId !== undefined).sort((a, b) => (a.id < b.id ? -1 : 1));
}
