import { join } from 'node:path';
import type { App } from '../lib/app.ts';
import { type Clock, systemClock } from '../lib/base/clock.ts';
import type { Logger } from '../lib/base/log.ts';
import { packageRoot } from '../lib/base/package-root.ts';
import type { SecretRegistry } from '../lib/base/secrets.ts';
import { createSlots } from '../lib/base/slots.ts';
import type { Config } from '../lib/config/config.ts';
import type { ImportModule } from '../lib/plugins/load-module.ts';
import type { PluginHost } from '../lib/plugins/plugin-host.ts';
import { recoverSessions } from '../lib/service/recover-sessions.ts';
import type { Sessions } from '../lib/session/sessions.ts';
import type { SessionStore } from '../lib/store/session-store.ts';
import { createIdSource } from '../lib/wire/ids.ts';
import { assembleApp, type Ground } from './assemble-app.ts';
import { openSessions } from './open-sessions.ts';
import { openStore } from './open-store.ts';
import { createServiceLog } from './service-log.ts';
import { startFailure } from './start-failure.ts';

export interface AppOptions {
  /** Complete and checked; see `loadConfig`. */
  config: Config;
  /** Default: what `log` of the configuration says, on standard error, without secrets. */
  log?: Logger;
  /** Hides secrets in what leaves the service, and learns those that are made while starting. Default: those of `config`. */
  secrets?: SecretRegistry;
  clock?: Clock;
  /** Default: the driver that the configuration names, in `storage.directory`. */
  store?: SessionStore;
  /** The folder with the plugins of the package; default: those of this package. */
  bundledPlugins?: string;
  /** How modules of plugins are imported. Default: `import()`. */
  importModule?: ImportModule | undefined;
  /** What relative plugin directories are relative to. Default: the working directory. */
  cwd?: string;
  /** Bytes of transcripts that may stay in memory while nobody uses them. Default 128 MB. */
  transcriptBytes?: number | undefined;
  /** How many files the service has open at once for what comes in bursts. Default 64. */
  fileSlots?: number;
  /** The ports that the host listens on, asked when a tool needs to know. */
  ownPorts?: () => number[];
  /** Called with the plugin host before it loads anything: errors that a plugin leaves uncaught can come that early. */
  onPlugins?: (plugins: PluginHost) => void;
}

/**
 * The composition root: opens the store, recovers, loads the plugins. The app it resolves with is ready to answer.
 * Rejects with an error that has an `exitCode` when the configuration or the data directory can't be used.
 */
export async function createApp(options: AppOptions): Promise<App> {
  const ground = groundOf(options);
  try {
    return await startApp(ground, options);
  } catch (error) {
    throw startFailure(error, ground.config.storage.directory);
  }
}

async function startApp(ground: Ground, options: AppOptions): Promise<App> {
  const { config, log } = ground;
  const store = options.store ?? (await openStore(config, ground));
  // The store asks for sessions that are in memory; there are none before they are recovered.
  let sessions: Sessions | undefined;
  const opened = await openSessions(store, { log, resident: (_tenantId, id) => sessions?.resident(id) });
  /** What a start that fails has to give back. */
  let begun: Pick<App, 'close'> = store;
  try {
    const app = await assembleApp(ground, { store, opened });
    begun = app;
    sessions = app.sessions;
    await recoverSessions(app);
    options.onPlugins?.(app.plugins);
    await app.plugins.load();
    return app;
  } catch (error) {
    await begun
      .close()
      .catch((failure: unknown) => log.warn('A start that failed left something open.', { error: failure }));
    throw error;
  }
}

/** The options with their defaults. */
function groundOf(options: AppOptions): Ground {
  const { config, clock = systemClock, cwd = process.cwd(), fileSlots = 64, ownPorts = () => [] } = options;
  const { log, secrets } = { ...createServiceLog(config, { env: process.env, clock }), ...options };
  return {
    config,
    clock,
    log,
    secrets,
    cwd,
    ownPorts,
    startedAt: clock.monotonic(),
    newId: createIdSource(() => clock.now()),
    slots: createSlots(fileSlots),
    bundledPlugins: options.bundledPlugins ?? join(packageRoot(), 'dist/plugins'),
    importModule: options.importModule,
    transcriptBytes: options.transcriptBytes,
  };
}
