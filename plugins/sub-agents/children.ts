import {
  type Clock,
  isServiceError,
  type Logger,
  messageOf,
  noUsage,
  type Services,
  type SessionOutcome,
  type SessionView,
  type StoredMessage,
  type ToolContext,
  type Undo,
} from '../../lib/plugin-api/index.ts';
import type { Options } from './options.ts';
import type { ChildResult, ChildStatus } from './result.ts';
import { promptOf, type Roles } from './roles.ts';
import { createSlots } from './slots.ts';
import { toolsFor } from './tools-for.ts';

export interface Task {
  task: string;
  role: string;
  title?: string | undefined;
}

export interface Children {
  /**
   * Runs a task in a session of its own and resolves with what came of it, failures included. Rejects only when the
   * caller's run is over.
   */
  run(task: Task, context: ToolContext): Promise<ChildResult>;
  /** Does `work` while the caller, if it is a child itself, gives its slot to others. */
  whileWaiting<T>(context: ToolContext, work: () => Promise<T>): Promise<T>;
}

export interface ChildrenOptions {
  options: Options;
  roles: Roles;
  sessions: Services['sessions'];
  tools: Pick<Services['tools'], 'schemas'>;
  clock: Clock;
  log: Logger;
}

/** A child whose run is going on: what it may use, and the slot that it holds unless it waits for children of its own. */
interface Running {
  toolNames: ReadonlySet<string>;
  giveBack: Undo;
}

/** One for the whole service: all calls share its slots. */
export function createChildren({ options, roles, sessions, tools, clock, log }: ChildrenOptions): Children {
  const slots = createSlots(options.maxConcurrent);
  const running = new Map<string, Running>();

  const start = async (
    { task, role: name, title }: Task,
    { session: parent, signal }: ToolContext,
    began: (childId: string, toolNames: ReadonlySet<string>) => void,
  ) => {
    const role = roles.get(name);
    if (!role) throw new Error(`There is no role "${name}". There are: ${[...roles.keys()].join(', ')}.`);
    const depth = (parent.depth ?? 0) + 1;
    const toolNames = toolsFor({
      schemas: tools.schemas(),
      role,
      options,
      depth,
      parentTools: running.get(parent.id)?.toolNames,
    });
    return sessions.start(
      {
        tenantId: parent.tenantId,
        title: title ?? titleOf(task),
        model: role.model ?? parent.model,
        workspace: parent.workspace,
        systemPrompt: promptOf(role),
        parent: { sessionId: parent.id, role: name },
      },
      task,
      {
        maxSteps: options.maxSteps,
        toolNames,
        signal,
        created: ({ id }) => began(id, toolNames),
      },
    );
  };

  const follow = async (session: SessionView, outcome: Promise<SessionOutcome | undefined>) => {
    let late = false;
    const disarm = clock.after(options.timeoutMs, () => {
      late = true;
      sessions.cancel(session.id);
    });
    const ended = await outcome.finally(disarm);
    const status: ChildStatus = late && ended?.status === 'cancelled' ? 'timed_out' : (ended?.status ?? 'deleted');
    return { status, usage: ended?.usage ?? noUsage, error: ended?.status === 'failed' ? ended.error : undefined };
  };

  return {
    async run(task, context) {
      const named = { title: task.title ?? titleOf(task.task), role: task.role };
      const giveBack = await slots.take(context.signal);
      let childId: string | undefined;
      try {
        const { session, outcome } = await start(task, context, (id, toolNames) => {
          childId = id;
          running.set(id, { toolNames, giveBack });
        });
        const end = await follow(session, outcome);
        return { ...named, ...end, sessionId: session.id, text: lastWords(await transcript(session.id)) };
      } catch (error) {
        context.signal.throwIfAborted();
        if (!isServiceError(error)) log.warn('A sub-agent could not be started.', { error });
        const reason = messageOf(error);
        return { ...named, status: 'refused', error: reason, text: '', usage: noUsage };
      } finally {
        endOf(childId, giveBack);
      }
    },
    async whileWaiting({ session, signal }, work) {
      const child = running.get(session.id);
      if (!child) return work();
      child.giveBack();
      try {
        return await work();
      } finally {
        const giveBack = await slots.take(signal, { first: true });
        if (running.get(session.id) === child) child.giveBack = giveBack;
        else giveBack();
      }
    },
  };

  /** Gives back the slot that it began with, and the one it got after waiting for its own children. */
  function endOf(childId: string | undefined, giveBack: Undo): void {
    giveBack();
    if (childId === undefined) return;
    running.get(childId)?.giveBack();
    running.delete(childId);
  }

  /** Empty when the session has been deleted. */
  function transcript(sessionId: string): Promise<readonly StoredMessage[]> {
    return sessions.messages(sessionId).catch(() => []);
  }
}

function lastWords(messages: readonly StoredMessage[]): string {
  const last = messages.findLast(({ role, content }) => role === 'assistant' && content.trim() !== '');
  return last?.content.trim() ?? '';
}

function titleOf(task: string): string {
  const line = task.trim().split('\n', 1)[0] ?? '';
  return [...line].slice(0, 60).join('') || 'Task';
}
