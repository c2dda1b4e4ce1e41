import type { App } from '../../lib/app.ts';
import type { Auth, AuthMode, Principal } from '../../lib/auth/principal.ts';
import { systemClock } from '../../lib/base/clock.ts';
import type { Logger } from '../../lib/base/log.ts';
import type { Config } from '../../lib/config/config.ts';
import { createEventBus } from '../../lib/events/create-event-bus.ts';
import { createRouteRegistry } from '../../lib/http/route-registry.ts';
import type { Session } from '../../lib/session/session.ts';
import { ServiceError } from '../../lib/wire/errors.ts';

export interface FakeAppOptions {
  mode?: AuthMode;
  server?: Partial<Config['server']>;
  clock?: App['clock'];
  seed?: number;
  /** Session ids by tenant. */
  sessions?: Record<string, string[]>;
}

/** Lines that were logged, for tests that look for leaks. */
export interface FakeApp {
  app: App;
  logged: string[];
}

/** The slice of an App that lib/http touches; reaching for anything else throws. Tokens: `admin`, `alice` (tenant a), `bob` (tenant b). */
export function fakeApp(options: FakeAppOptions = {}): FakeApp {
  const { mode = 'none', clock = systemClock, seed = 0 } = options;
  const logged: string[] = [];
  const slice = {
    clock,
    log: logger(logged),
    store: {},
    hideSecrets: (text: string) => text,
    config: { auth: { mode }, server: { ...serverDefaults, ...options.server } },
    auth: fakeAuth(mode),
    events: createEventBus({ clock, seed }),
    routes: createRouteRegistry([{ method: 'GET', path: '/api/health', access: 'public' }]),
    sessions: {
      find: (tenantId: string, id: string) =>
        options.sessions?.[tenantId]?.includes(id) ? ({ id, tenantId } as Session) : undefined,
    },
  };
  const app = new Proxy(slice, {
    get(target, key) {
      if (key in target) return Reflect.get(target, key);
      throw new Error(`The test's app has no ${String(key)}.`);
    },
  });
  return { app: app as unknown as App, logged };
}

const serverDefaults: Config['server'] = {
  host: '127.0.0.1',
  port: 0,
  token: '',
  corsOrigins: ['*'],
  corsOriginsExplicit: false,
  bodyLimitBytes: 10_485_760,
  webRoot: '/nonexistent',
  allowedHosts: [],
  crossSiteGuard: 'auto',
  drainMs: 0,
  overloadLagMs: 0,
};

const callers: Record<string, Principal> = {
  admin: { kind: 'user', tenantId: 'default', admin: true, userId: 'usr_admin' },
  alice: { kind: 'user', tenantId: 'a', admin: false, userId: 'usr_alice' },
  bob: { kind: 'user', tenantId: 'b', admin: false, userId: 'usr_bob' },
};

function fakeAuth(mode: AuthMode): Auth {
  return {
    mode,
    async authenticate(request) {
      if (mode === 'none') return { kind: 'anonymous', tenantId: 'default', admin: true };
      const caller = callers[request.headers.get('authorization')?.replace('Bearer ', '') ?? ''];
      if (!caller) throw new ServiceError('unauthorized', 'A valid bearer token is needed.');
      return caller;
    },
    isValid: () => true,
    whenRevoked: () => () => {},
    tenantName: (tenantId) => tenantId,
    tenantIds: () => ['default'],
  };
}

function logger(logged: string[]): Logger {
  const write = (message: string, fields: unknown = {}) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log };
  return log;
}
