import type { App } from '../app.ts';
import type { Undo } from '../base/clock.ts';
import type { Services } from '../plugin-api/services.ts';
import type { SessionEvent } from '../wire/event.ts';
import { pluginSessions } from './plugin-sessions.ts';

type Surroundings = Omit<App, 'plugins' | 'close'>;

/** What the service offers to plugins beside the registries that the plugin host scopes by itself. */
export function pluginServices(
  app: Surroundings,
  ownPorts: () => number[],
): Pick<Services, 'sessions' | 'workspaces' | 'tenant.usage' | 'service.info' | 'state' | 'clock' | 'events'> {
  return {
    sessions: pluginSessions(app),
    workspaces: { open: (directory) => app.workspaces.open(directory) },
    'tenant.usage': {
      of(tenantId) {
        return { ...app.sessions.totals(tenantId), running: app.runs.activeOf(tenantId) };
      },
      tenants: () => [...new Set([...app.auth.tenantIds(), ...app.sessions.tenantIds()])],
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
    clock: app.clock,
    events: { subscribe: (fn, pluginId?: string) => subscribe(app, fn, pluginId) },
  };
}

/** A subscriber that throws goes on; only the first time is told, since it may throw at every word of a reply. */
function subscribe({ events, log }: Surroundings, fn: (event: SessionEvent) => void, plugin: string | undefined): Undo {
  if (typeof fn !== 'function') throw new Error('A subscriber must be a function.');
  let hasThrown = false;
  return events.listen((_, { event }) => {
    try {
      fn(event);
    } catch (error) {
      if (!hasThrown) log.warn('A subscriber threw; if it does again, that is not told.', { plugin, error });
      hasThrown = true;
    }
  });
}
