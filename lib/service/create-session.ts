import { isAbsolute, normalize } from 'node:path';
import type { App } from '../app.ts';
import { isoTime } from '../base/clock.ts';
import type { Session } from '../session/session.ts';
import { toSummary } from '../session/summary.ts';
import { ServiceError } from '../wire/errors.ts';
import type { SessionRecord } from '../wire/session.ts';
import { noUsage } from '../wire/usage.ts';
import { isInside } from '../workspace/workspace-path.ts';

type Surroundings = Pick<App, 'sessions' | 'models' | 'guards' | 'workspaces' | 'newId' | 'config'>;

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

/** For whom a session is made. Who is confined may pin only directories inside the tenant's own (DECISIONS.md, Accounts). */
export interface Creator {
  tenantId: string;
  confined: boolean;
}

const untitled = 'New session';

/**
 * Creates a session; resolves once it is durable. Throws `invalid_model`, `invalid_body` (workspace), a guard's veto,
 * or `outside_workspace` when the tenant may not work there.
 */
export async function createSession(
  app: Surroundings,
  creator: Creator,
  request: NewSession & { parent?: Parentage },
): Promise<Session> {
  const { tenantId } = creator;
  const { title, model, systemPrompt, parent } = request;
  if (model !== undefined && !app.models.get(model)) throw unknownModel(model);
  const workspace = await workspaceFor(app, creator, request.workspace);
  app.guards.check({ action: 'create', tenantId, request: { ...pick({ title, model }), workspace } });
  const now = isoTime(app.sessions.changeTime(tenantId));
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
    await session.commit({ kind: 'created', session: record }, (created) => [
      { type: 'session.updated', sessionId: id, session: toSummary(created) },
    ]);
  } catch (error) {
    app.sessions.remove(session);
    throw error;
  }
  return session;
}

async function workspaceFor(app: Surroundings, creator: Creator, wanted: string | undefined): Promise<string> {
  const { tenantId, confined } = creator;
  if (wanted === undefined) return app.workspaces.defaultDirectory(tenantId);
  if (!confined) return (await app.workspaces.open(wanted)).root;
  const given = await app.workspaces.defaultDirectory(tenantId);
  const { root: own } = await app.workspaces.open(given);
  // The same answer for everything elsewhere, so that nobody learns which directories other tenants have.
  const path = normalize(wanted);
  if (isAbsolute(path) && !isInside(given, path) && !isInside(own, path)) throw outsideWorkspace();
  const { root } = await app.workspaces.open(wanted);
  if (!isInside(own, root)) throw outsideWorkspace();
  return root;
}

function outsideWorkspace(): ServiceError {
  return new ServiceError('outside_workspace', 'Your sessions can only work inside the workspace of your tenant.', {
    details: { path: 'workspace' },
  });
}

export function unknownModel(model: string): ServiceError {
  return new ServiceError(
    'invalid_model',
    `There is no model "${model.slice(0, 200)}". GET /api/bootstrap lists the registered ones.`,
    { details: { path: 'model' } },
  );
}

function pick<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
