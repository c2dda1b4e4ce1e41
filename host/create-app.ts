import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { App } from '../lib/app.ts';
import { createAuth } from '../lib/auth/create-auth.ts';
import { type Clock, systemClock } from '../lib/base/clock.ts';
import type { Logger } from '../lib/base/log.ts';
import { packageRoot } from '../lib/base/package-root.ts';
import type { SecretRegistry } from '../lib/base/secrets.ts';
import { createSlots } from '../lib/base/slots.ts';
import { createCheckpointer } from '../lib/checkpoints/create-checkpointer.ts';
import type { Config } from '../lib/config/config.ts';
import { createEventBus } from '../lib/events/create-event-bus.ts';
import { openSequence } from '../lib/events/sequence.ts';
import { createRouteRegistry } from '../lib/http/route-registry.ts';
import { createModelRegistry } from '../lib/models/registry.ts';
import { createPluginHost } from '../lib/plugins/create-plugin-host.ts';
import type { ImportModule } from '../lib/plugins/load-module.ts';
import type { PluginHost } from '../lib/plugins/plugin-host.ts';
import { createApprovals } from '../lib/run/approvals.ts';
import { createEstimator } from '../lib/run/estimate.ts';
import { createRunMeter } from '../lib/run/run-meter.ts';
import { createRuns } from '../lib/run/runs.ts';
import { createPrompts } from '../lib/run/system-prompt.ts';
import { closedGuard } from '../lib/service/built-in-guards.ts';
import { createGuards } from '../lib/service/guards.ts';
import { createMetrics } from '../lib/service/metrics.ts';
import { pluginServices } from '../lib/service/plugin-services.ts';
import { recoverSessions } from '../lib/service/recover-sessions.ts';
import { createSearch } from '../lib/service/search.ts';
import { createSessions, type Sessions } from '../lib/session/sessions.ts';
import { createSummaryList } from '../lib/session/summary.ts';
import type { SessionStore } from '../lib/store/session-store.ts';
import { storePaths } from '../lib/store/store-paths.ts';
import { createToolRegistry } from '../lib/tools/registry.ts';
import { createArgumentValidator } from '../lib/tools/validate-arguments.ts';
import { createIdSource } from '../lib/wire/ids.ts';
import { createWorkspaces } from '../lib/workspace/create-workspaces.ts';
import { cleanCheckpointsLater } from './clean-checkpoints.ts';
import { closeApp } from './close-app.ts';
import { openSessions } from './open-sessions.ts';
import { openStore } from './open-store.ts';
import { processFigures } from './process-figures.ts';
import { handlers } from './routes.ts';
import { createServiceLog } from './service-log.ts';
import { productVersion } from './version.ts';
import { watchHost } from './watch-host.ts';

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
  const { config, clock = systemClock, cwd = process.cwd() } = options;
  const { log, secrets } = { ...createServiceLog(config, { env: process.env, clock }), ...options };
  const startedAt = clock.monotonic();
  const hideSecrets = secrets.hide;
  const newId = createIdSource(() => clock.now());
  const { directory } = config.storage;
  const slots = createSlots(options.fileSlots ?? 64);
  const ownPaths = [...storePaths(directory), join(directory, 'tenants/*/sessions')];
  // The store asks for sessions that are in memory; there are none before it is open.
  let sessions: Sessions | undefined;
  const store = options.store ?? (await openStore(config, { clock, log, slots }));
  const resident = (_tenantId: string, sessionId: string) => sessions?.resident(sessionId);
  const opened = await openSessions(store, { log, resident });
  /** What a start that fails has to give back. */
  let begun: Pick<App, 'close'> = store;

  try {
    const [sequence, auth] = await Promise.all([
      openSequence(store, clock, log),
      createAuth({ config, clock, log, directory, newId, secrets }),
    ]);
    const events = createEventBus({ clock, seed: sequence.seed, onSeq: (seq) => sequence.used(seq) });
    const liveSessions = createSessions({ store, events, clock, transcriptBytes: options.transcriptBytes });
    sessions = liveSessions;
    liveSessions.restore(opened.sessions);
    const models = createModelRegistry(config.model.default);
    const tools = createToolRegistry();
    const guards = createGuards();
    // Registered before any plugin's: what the process can't do is refused before anything is counted.
    const host = await watchHost({ config, clock, log, store, events, guards });
    const prompts = createPrompts();
    const routes = createRouteRegistry(handlers.map((handler) => handler.route));
    const approvals = createApprovals({ clock, newId, timeoutMs: config.approvals.timeoutMs });
    const workspaces = createWorkspaces({ config, ownPaths, slots });
    const checkpoints = createCheckpointer({
      config,
      directory: join(directory, 'checkpoints'),
      ownPaths,
      clock,
      log,
      newId,
      workerUrl: pathToFileURL(join(packageRoot(), 'dist/lib/checkpoints/checkpoint.worker.js')),
    });
    const estimator = createEstimator();
    const validateArguments = createArgumentValidator();
    const meter = createRunMeter();
    const runs = createRuns({
      clock,
      log,
      hideSecrets,
      newId,
      config,
      store,
      models,
      tools,
      workspaces,
      approvals,
      prompts,
      estimator,
      validateArguments,
      meter,
    });

    const parts = {
      version: productVersion(),
      startedAt,
      config,
      clock,
      log,
      hideSecrets,
      newId,
      auth,
      store,
      events,
      sessions: liveSessions,
      runs,
      approvals,
      models,
      tools,
      guards,
    };
    const surroundings = {
      ...parts,
      prompts,
      routes,
      workspaces,
      checkpoints,
      summaries: createSummaryList(),
      search: createSearch(parts),
      metrics: createMetrics({ ...parts, meter }, () => processFigures(host.lag())),
    };
    const plugins = createPluginHost({
      config,
      bundledDirectory: options.bundledPlugins ?? join(packageRoot(), 'dist/plugins'),
      packageRoot: packageRoot(),
      importModule: options.importModule,
      cwd,
      clock,
      log,
      hideSecrets,
      services: {
        tools,
        models,
        'http.routes': routes,
        'session.guards': guards,
        'session.prompts': prompts,
        ...pluginServices(surroundings, options.ownPorts ?? (() => [])),
      },
    });
    const cancelCleaning = cleanCheckpointsLater(surroundings, { ...opened, directory });
    let closing: Promise<void> | undefined;
    const stop = (): Promise<void> => {
      guards.register(closedGuard);
      host.stop();
      cancelCleaning();
      return closeApp(app);
    };
    const app: App = { ...surroundings, plugins, close: () => (closing ??= stop()) };
    begun = app;
    await recoverSessions(app);
    options.onPlugins?.(plugins);
    await plugins.load();
    return app;
  } catch (error) {
    await begun
      .close()
      .catch((failure: unknown) => log.warn('A start that failed left something open.', { error: failure }));
    throw error;
  }
}
