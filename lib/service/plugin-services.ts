import type { App } from '../app.ts';
import type { Services, SessionsService } from '../plugin-api/services.ts';
import { sessionView } from '../run/session-view.ts';
import type { Session } from '../session/session.ts';
import { ServiceError } from '../wire/errors.ts';
import { cancelRun } from './cancel-run.ts';
import { createSession, type Parentage } from './create-session.ts';
import { sendMessage } from './send-message.ts';

type Surroundings = Omit<App, 'plugins' | 'close'>;

/** What the service offers to plugins beside the registries that the plugin host scopes by itself. */
export function pluginServices(
  app: Surroundings,
  ownPorts: () => number[],
): Pick<Services, 'sessions' | 'workspaces' | 'tenant.usage' | 'service.info' | 'state'> {
  return {
    sessions: sessionsService(app),
    workspaces: { open: (directory) => app.workspaces.open(directory) },
    'tenant.usage': {
      of(tenantId) {
        const records = app.sessions.list(tenantId);
        const tokens = records.reduce((sum, record) => sum + record.usage.totalTokens, 0);
        return { sessions: records.length, running: app.runs.activeOf(tenantId), tokens };
      },
      tenants: () => [...app.sessions.tenantIds()],
    },
    'service.info': {
      version: app.version,
      authMode: app.auth.mode,
      dataDirectory: app.config.storage.directory,
      ownPorts,
    },
    state: {
      read: (key) => app.store.readMeta(`plugin-${key}`),
      write: (key, value) => app.store.writeMeta(`plugin-${key}`, value),
    },
  };
}

function sessionsService(app: Surroundings): SessionsService {
  const find = (sessionId: string): Session | undefined => app.sessions.findAny(sessionId);
  const need = (sessionId: string): Session => {
    const session = find(sessionId);
    if (!session) throw new ServiceError('session_not_found', 'There is no such session.');
    return session;
  };
  const parentage = ({ sessionId, role }: { sessionId: string; role: string }): Parentage => {
    const { record } = need(sessionId);
    return { parentId: record.id, rootId: record.rootId, depth: (record.depth ?? 0) + 1, role };
  };
  return {
    async create({ tenantId, parent, ...request }) {
      const session = await createSession(
        app,
        { tenantId, confined: false },
        {
          ...request,
          ...(parent ? { parent: parentage(parent) } : {}),
        },
      );
      return sessionView(session.record);
    },
    get(sessionId) {
      const session = find(sessionId);
      return session && sessionView(session.record);
    },
    async send(sessionId, content, limits) {
      const { runId } = await sendMessage(app, need(sessionId), { content, ...(limits ? { limits } : {}) });
      return { runId };
    },
    settled: (sessionId) => app.runs.settled(sessionId),
    async messages(sessionId) {
      const session = need(sessionId);
      await session.load();
      return [...session.messages];
    },
    cancel(sessionId) {
      const session = find(sessionId);
      return session ? cancelRun(app, session) : false;
    },
  };
}
