import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../../host/create-app.ts';
import { handlers } from '../../../host/routes.ts';
import type { App } from '../../../lib/app.ts';
import type { Clock } from '../../../lib/base/clock.ts';
import { createLogger } from '../../../lib/base/logger.ts';
import { createSecretRegistry } from '../../../lib/base/secrets.ts';
import { loadConfig } from '../../../lib/config/load-config.ts';
import { secretValues } from '../../../lib/config/secret-values.ts';
import type { Handler } from '../../../lib/http/endpoint.ts';
import { createRouter } from '../../../lib/http/router.ts';
import type { Model } from '../../../lib/models/model.ts';
import { createFileStore } from '../../../lib/store/file-store.ts';
import type { SessionStore } from '../../../lib/store/session-store.ts';
import type { Tool } from '../../../lib/tools/tool.ts';
import { createMemoryStore } from '../../helpers/memory-store.ts';

export const tenants = ['a', 'b'] as const;
export type Tenant = (typeof tenants)[number];
/** The secret of every world: a token of its configuration that no output may show. */
export const canary = 'canary-7f3d-do-not-show';

export interface LifeOptions {
  /** Of the world; the data directory and the workspaces lie in it. */
  directory: string;
  /** Name of the data directory below it. */
  data: string;
  driver: 'file' | 'memory';
  /** Instead of the one that `driver` names. */
  store?: SessionStore | undefined;
  handlers?: readonly Handler[] | undefined;
  transcriptBytes?: number | undefined;
  settings: object;
  clock: Clock;
  model: Model;
  tools: readonly Tool[];
  log(line: string): void;
}

/** One process of the service, as far as a process is memory: dropped without a word, nothing of it reaches the next one. */
export interface Life {
  readonly app: App;
  readonly data: string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** True while a commit is on its way to the disk. */
  readonly isStoring: boolean;
}

export async function startLife(options: LifeOptions): Promise<Life> {
  const { directory, clock, settings } = options;
  const data = join(directory, options.data);
  if (!existsSync(join(data, 'auth', 'accounts.json'))) writeAccounts(data);
  const env = { SERVICE_DATA_DIR: data, SERVICE_AUTH_MODE: 'accounts', SERVICE_BOOTSTRAP_TOKEN: canary };
  const workspaces = Object.fromEntries(tenants.map((tenant) => [tenant, join(directory, 'workspaces', tenant)]));
  for (const workspace of Object.values(workspaces)) mkdirSync(workspace, { recursive: true });
  const noPlugins = join(directory, 'no-plugins');
  mkdirSync(noPlugins, { recursive: true });
  const content = JSON.stringify({ plugins: { directories: [] }, auth: { workspaces }, ...settings });
  const readFile = (path: string) => (path.endsWith('service.config.json') ? content : undefined);
  const { config } = loadConfig({ env, cwd: directory, readFile });
  const secrets = createSecretRegistry();
  for (const value of secretValues(config, {})) secrets.add(value);
  const log = createLogger({ level: 'debug', format: 'text', write: options.log, clock, redact: secrets.redact });
  const storing = { commits: 0 };
  // The end of a process is what is tried here; power cuts are tried where disks are simulated.
  const ofDriver = (): SessionStore =>
    options.driver === 'memory'
      ? createMemoryStore()
      : createFileStore({ directory: data, durability: 'process', clock, log });
  const store = watched(options.store ?? ofDriver(), storing);
  const app = await createApp({
    config,
    log,
    secrets,
    cwd: directory,
    store,
    clock,
    bundledPlugins: noPlugins,
    transcriptBytes: options.transcriptBytes,
  });
  app.models.register(options.model);
  for (const tool of options.tools) app.tools.register(tool);
  const router = createRouter(options.handlers ?? handlers, app);
  return {
    app,
    data,
    get isStoring() {
      return storing.commits > 0;
    },
    async fetch(path, init = {}) {
      const request = new Request(new URL(path, 'http://127.0.0.1:7331'), init);
      const platform = { signal: init.signal ?? new AbortController().signal };
      return router({ request, ip: '127.0.0.1', platform, env: () => undefined, passThrough() {}, waitUntil() {} });
    },
  };
}

/** What a new process finds after this one: everything but the lock, which the kernel frees. A file that goes meanwhile is gone. */
export function copyData(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    try {
      if (entry.isDirectory()) copyData(source, target);
      else if (entry.isFile()) copyFileSync(source, target);
    } catch (error) {
      if (existsSync(source)) throw error;
    }
  }
}

export function tokenOf(tenant: Tenant): string {
  return `token-of-the-user-of-${tenant}`;
}

/** As the service writes it, so that no password has to be hashed for each of thousands of worlds. */
function writeAccounts(data: string): void {
  const createdAt = new Date(0).toISOString();
  const user = (id: string, tenantId: string, role: string, token: string) => {
    const tokenHash = createHash('sha256').update(token).digest('hex');
    return { id: `usr_${id}`, name: id, tenantId, role, createdAt, tokenHash };
  };
  const users = [
    user('admin', 'default', 'admin', 'token-of-the-administrator'),
    ...tenants.map((id) => user(id, id, 'user', tokenOf(id))),
  ];
  const content = { version: 1, users, tenants: tenants.map((id) => ({ id, name: id, createdAt })) };
  mkdirSync(join(data, 'auth'), { recursive: true });
  writeFileSync(join(data, 'auth', 'accounts.json'), JSON.stringify(content), { mode: 0o600 });
}

function watched(store: SessionStore, storing: { commits: number }): SessionStore {
  return {
    ...store,
    async commit(commit) {
      storing.commits += 1;
      try {
        await store.commit(commit);
      } finally {
        storing.commits -= 1;
      }
    },
  };
}
