import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../host/create-app.ts';
import { handlers } from '../../host/routes.ts';
import type { App } from '../../lib/app.ts';
import { type Clock, systemClock } from '../../lib/base/clock.ts';
import { createLogger } from '../../lib/base/logger.ts';
import { loadConfig } from '../../lib/config/load-config.ts';
import { createRouter } from '../../lib/http/router.ts';
import type { Model } from '../../lib/models/model.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import type { Tool } from '../../lib/tools/tool.ts';
import type { SessionDetail } from '../../lib/wire/session.ts';
import { type EventStream, readEventStream } from './event-stream.ts';
import { createMemoryStore } from './memory-store.ts';
import { tempDirectory } from './temp-directory.ts';

/** What a service is made of: that of the sources, or that of dist. */
export interface Program {
  createApp: typeof createApp;
  createRouter: typeof createRouter;
  handlers: typeof handlers;
}

export interface TestAppOptions {
  /** The content of service.config.json. */
  settings?: object;
  env?: Record<string, string>;
  models?: readonly Model[];
  tools?: readonly Tool[];
  store?: SessionStore;
  clock?: Clock;
  /** True: with the plugins of the package, as built into dist. */
  bundled?: boolean;
  /** The ports that the service is told are its own. */
  ownPorts?: () => number[];
  /** A directory to reuse, for restarts. */
  directory?: string;
  /** Default: the sources. */
  program?: Program;
}

/** A whole service in memory, without a socket. */
export interface TestApp {
  app: App;
  directory: string;
  workspace: string;
  /** What was logged, one line each. */
  lines: string[];
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** POST, PATCH or GET with JSON in and out; fails on another status than expected. */
  call<T = Record<string, unknown>>(
    method: string,
    path: string,
    expected: { status?: number; body?: unknown; headers?: Record<string, string> },
  ): Promise<T>;
  newSession(body?: object): Promise<SessionDetail>;
  detail(sessionId: string): Promise<SessionDetail>;
  events(path: string, headers?: Record<string, string>): Promise<EventStream>;
  close(): Promise<void>;
}

/** Builds a service with an in-memory store (unless given) and no plugins (unless asked for). Close it. */
export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const directory = options.directory ?? tempDirectory('app');
  const workspace = join(directory, 'workspace');
  const noPlugins = join(directory, 'no-plugins');
  mkdirSync(workspace, { recursive: true });
  mkdirSync(noPlugins, { recursive: true });
  const settings = {
    agent: { workspace },
    plugins: { directories: [] },
    checkpoints: { enabled: false },
    ...options.settings,
  };
  const env = { SERVICE_DATA_DIR: join(directory, 'data'), ...options.env };
  const readFile = (path: string) => (path.endsWith('service.config.json') ? JSON.stringify(settings) : undefined);
  const { config } = loadConfig({ env, cwd: directory, readFile });
  const lines: string[] = [];
  const { clock = systemClock } = options;
  const log = createLogger({ level: 'debug', format: 'text', write: (line) => lines.push(line), clock });
  const program = options.program ?? { createApp, createRouter, handlers };
  const app = await program.createApp({
    config,
    log,
    cwd: directory,
    store: options.store ?? createMemoryStore(),
    clock,
    ...(options.bundled ? {} : { bundledPlugins: noPlugins }),
    ...(options.ownPorts ? { ownPorts: options.ownPorts } : {}),
  });
  for (const model of options.models ?? []) app.models.register(model);
  for (const tool of options.tools ?? []) app.tools.register(tool);

  const router = program.createRouter(program.handlers, app);
  const fetch = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const request = new Request(new URL(path, 'http://127.0.0.1:7331'), init);
    const platform = { signal: init.signal ?? new AbortController().signal };
    return router({ request, ip: '127.0.0.1', platform, env: () => undefined, passThrough() {}, waitUntil() {} });
  };
  const call: TestApp['call'] = async (method, path, { status = 200, body, headers = {} }) => {
    const response = await fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status !== status)
      throw new Error(`${method} ${path} answered ${response.status}, not ${status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    app,
    directory,
    workspace,
    lines,
    fetch,
    call,
    async newSession(body) {
      const { session } = await call<{ session: SessionDetail }>('POST', '/api/sessions', {
        status: 201,
        body: body ?? {},
      });
      return session;
    },
    async detail(sessionId) {
      const { session } = await call<{ session: SessionDetail }>('GET', `/api/sessions/${sessionId}`, {});
      return session;
    },
    async events(path, headers = {}) {
      const abort = new AbortController();
      return readEventStream(await fetch(path, { headers, signal: abort.signal }), () => abort.abort());
    },
    close: () => app.close(),
  };
}
