import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { App } from '../lib/app.ts';
import { createAuth } from '../lib/auth/create-auth.ts';
import { packageRoot } from '../lib/base/package-root.ts';
import type { SecretRegistry } from '../lib/base/secrets.ts';
import type { Slots } from '../lib/base/slots.ts';
import { createCheckpointer } from '../lib/checkpoints/create-checkpointer.ts';
import { createEventBus } from '../lib/events/create-event-bus.ts';
import { openSequence } from '../lib/events/sequence.ts';
import { createRouteRegistry } from '../lib/http/route-registry.ts';
import { createModelRegistry } from '../lib/models/registry.ts';
import { createPluginHost } from '../lib/plugins/create-plugin-host.ts';
import type { ImportModule } from '../lib/plugins/load-module.ts';
import { createApprovals } from '../lib/run/approvals.ts';
import { createEstimator } from '../lib/run/estimate.ts';
import { createRunMeter } from '../lib/run/run-meter.ts';
import { createRuns } from '../lib/run/runs.ts';
import { createPrompts } from '../lib/run/system-prompt.ts';
import { closedGuard } from '../lib/service/built-in-guards.ts';
import { createGuards } from '../lib/service/guards.ts';
import { createMetrics } from '../lib/service/metrics.ts';
import { pluginServices } from '../lib/service/plugin-services.ts';
import { createSearch } from '../lib/service/search.ts';
import { createSessions } from '../lib/session/sessions.ts';
import { createSummaryList } from '../lib/session/summary.ts';
import type { OpenedStore, SessionStore } from '../lib/store/session-store.ts';
import { storePaths } from '../lib/store/store-paths.ts';
import { createToolRegistry } from '../lib/tools/registry.ts';
import { createArgumentValidator } from '../lib/tools/validate-arguments.ts';
import { createWorkspaces } from '../lib/workspace/create-workspaces.ts';
import { cleanCheckpointsLater } from './clean-checkpoints.ts';
import { closeApp } from './close-app.ts';
import { processFigures } from './process-figures.ts';
import { handlers } from './routes.ts';
import { productVersion } from './version.ts';
import { watchHost } from './watch-host.ts';

/** What an app is built on; see `AppOptions`. */
export interface Ground extends Pick<App, 'config' | 'clock' | 'log' | 'startedAt' | 'newId'> {
  secrets: SecretRegistry;
  slots: Slots;
  cwd: string;
  bundledPlugins: string;
  importModule: ImportModule | undefined;
  transcriptBytes: number | undefined;
  ownPorts: () => number[];
}

/** The store, which is open, and what it holds. */
export interface Data {
  store: SessionStore;
  opened: OpenedStore;
}

/**
 * Builds all that lives, each part of those before it, and nothing of it twice. Plugins are not loaded yet. Rejects when the
 * accounts or the event sequence can't be read; then only the store is open.
 */
export async function assembleApp(ground: Ground, { store, opened }: Data): Promise<App> {
  const { config, clock, log, startedAt, newId, secrets } = ground;
  const known = await openKnown(ground, { store, opened });
  const registries = createRegistries(config);
  // Before any plugin: what the process can't do is refused before anything is counted.
  const host = await watchHost({ config, clock, log, store, ...known, ...registries });
  const { meter, ...runParts } = createRunParts(ground, { store, ...registries });
  const base = { version: productVersion(), startedAt, config, clock, log, hideSecrets: secrets.hide, newId, store };
  const parts = { ...base, ...known, ...registries, ...runParts };
  const surroundings: Omit<App, 'plugins' | 'close'> = {
    ...parts,
    summaries: createSummaryList(),
    search: createSearch(parts),
    metrics: createMetrics({ ...parts, meter }, () => processFigures(host.lag())),
  };
  const plugins = createPlugins(ground, surroundings);
  const { directory } = config.storage;
  const cancelCleaning = cleanCheckpointsLater(surroundings, { ...opened, directory });
  const stop = (): Promise<void> => {
    surroundings.guards.register(closedGuard);
    host.stop();
    cancelCleaning();
    return closeApp(app);
  };
  let closing: Promise<void> | undefined;
  const app: App = { ...surroundings, plugins, close: () => (closing ??= stop()) };
  return app;
}

/** Who may come in, what happened last and what sessions there are. */
async function openKnown(
  { config, clock, log, newId, secrets, transcriptBytes }: Ground,
  { store, opened }: Data,
): Promise<Pick<App, 'auth' | 'events' | 'sessions'>> {
  const { directory } = config.storage;
  const [sequence, auth] = await Promise.all([
    openSequence(store, clock, log),
    createAuth({ config, clock, log, directory, newId, secrets }),
  ]);
  const events = createEventBus({ clock, seed: sequence.seed, onSeq: (seq) => sequence.used(seq) });
  const sessions = createSessions({ store, events, clock, transcriptBytes });
  sessions.restore(opened.sessions);
  return { auth, events, sessions };
}

/** What plugins add to. */
function createRegistries(config: App['config']): Pick<App, 'models' | 'tools' | 'guards' | 'prompts' | 'routes'> {
  return {
    models: createModelRegistry(config.model.default),
    tools: createToolRegistry(),
    guards: createGuards(),
    prompts: createPrompts(),
    routes: createRouteRegistry(handlers.map((handler) => handler.route)),
  };
}

/** Runs, and what they alone use. */
function createRunParts(
  { config, clock, log, newId, slots, secrets }: Ground,
  { store, models, tools, prompts }: Pick<App, 'store' | 'models' | 'tools' | 'prompts'>,
) {
  const { directory } = config.storage;
  const ownPaths = [...storePaths(directory), join(directory, 'tenants/*/sessions')];
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
  const meter = createRunMeter();
  const runs = createRuns({
    clock,
    log,
    hideSecrets: secrets.hide,
    newId,
    config,
    store,
    models,
    tools,
    workspaces,
    approvals,
    prompts,
    estimator: createEstimator(),
    validateArguments: createArgumentValidator(),
    meter,
  });
  return { approvals, workspaces, checkpoints, meter, runs };
}

/** The plugin host with the services that it offers. */
function createPlugins(ground: Ground, surroundings: Omit<App, 'plugins' | 'close'>): App['plugins'] {
  const { config, clock, log, hideSecrets, tools, models, routes, guards, prompts } = surroundings;
  const { bundledPlugins, importModule, cwd, ownPorts } = ground;
  return createPluginHost({
    config,
    bundledDirectory: bundledPlugins,
    packageRoot: packageRoot(),
    importModule,
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
      ...pluginServices(surroundings, ownPorts),
    },
  });
}
