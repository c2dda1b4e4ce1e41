import type { App } from '../app.ts';
import { isoTime } from '../base/clock.ts';
import type { Session } from '../session/session.ts';
import { toSummary } from '../session/summary.ts';
import { ServiceError } from '../wire/errors.ts';
import type { SessionRecord } from '../wire/session.ts';
import { noUsage } from '../wire/usage.ts';

type Surroundings = Pick<App, 'sessions' | 'models' | 'guards' | 'workspaces' | 'clock' | 'newId' | 'config'>;

/** What a new session may name; everything has a default (contract: CreateSessionRequest). */
export interface NewSession {
  title?: string;
  model?: string;
  systemPrompt?: string;
  /** Absolute path of a directory. */
  workspace?: string;
}

/** On sessions that a sub-agent tool creates. */
export interface Parentage {
  parentId: string;
  rootId: string;
  depth: number;
  role: string;
}

export const untitled = 'New session';

/**
 * Creates a session; resolves once it is durable. Throws `invalid_model`, `invalid_body` (workspace), a guard's veto,
 * or `outside_workspace` when the tenant may not work there.
 */
export async function createSession(app: Surroundings, tenantId: string, request: NewSession & { parent?: Parentage }): Promise<Session> {
  const { title, model, systemPrompt, parent } = request;
  if (model !== undefined && !app.models.get(model)) throw unknownModel(model);
  const workspace = request.workspace === undefined ? await app.workspaces.defaultDirectory(tenantId) : (await app.workspaces.open(request.workspace)).root;
  app.guards.check({ action: 'create', tenantId, request: { ...pick({ title, model }), workspace } });
  const now = isoTime(app.clock.now());
  const id = app.newId('ses');
  const record: SessionRecord = {
    id,
    tenantId,
    title: title ?? untitled,
    titled: title !== undefined,
    createdAt: now,
    updatedAt: now,
    status: 'idle',
    model: model ?? app.models.default()?.info.id ?? app.config.model.default ?? '',
    messageCount: 0,
    workspace,
    usage: noUsage,
    rootId: parent?.rootId ?? id,
    revision: 1,
    ...pick({ systemPrompt }),
    ...(parent ? { parentId: parent.parentId, depth: parent.depth, role: parent.role } : {}),
  };
  const session = app.sessions.add(record);
  try {
    await session.commit({ kind: 'created', session: record }, (created) => [{ type: 'session.updated', sessionId: id, session: toSummary(created) }]);
  } catch (error) {
    app.sessions.remove(session);
    throw error;
  }
  return session;
}

export function unknownModel(model: string): ServiceError {
  return new ServiceError('invalid_model', `There is no model "${model.slice(0, 200)}". GET /api/bootstrap lists the registered ones.`, { details: { path: 'model' } });
}

function pick<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
