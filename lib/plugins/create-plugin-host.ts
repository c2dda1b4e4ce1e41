import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf } from '../base/caught.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { settledWithin } from '../base/time-limits.ts';
import type { Config } from '../config/config.ts';
import { applyPlugin } from './apply-plugin.ts';
import { readAsset } from './assets.ts';
import { createAttribution } from './attribution.ts';
import { discoverPlugins } from './discover.ts';
import { type BundleWatcher, watchBundles } from './hot-reload.ts';
import { type ImportModule, loadModule } from './load-module.ts';
import { cycleThrough, loadOrder } from './order.ts';
import { type PluginEntry, toPluginInfo } from './plugin-entry.ts';
import type { PluginHost } from './plugin-host.ts';

export interface PluginHostOptions {
  config: Pick<Config, 'plugins' | 'auth'>;
  /** The plugins of the package itself: `<package>/dist/plugins`. */
  bundledDirectory: string;
  /** The package itself; default: two levels above `bundledDirectory`. */
  packageRoot?: string;
  /** What `plugins.directories` are relative to. */
  cwd: string;
  clock: Clock;
  log: Logger;
  /**
   * What `use(name)` finds; a `register` that returns an undo is recorded per plugin, and is told the plugin's id
   * behind its own arguments.
   */
  services: Readonly<Record<string, unknown>>;
  /** See `SecretRegistry.hide`: an error text of a plugin may quote its options. */
  hideSecrets?: (text: string) => string;
  /** Default: `import()`. */
  importModule?: ImportModule | undefined;
  /** Contract: 20 seconds. */
  applyTimeoutMs?: number;
}

/** An error that nobody caught is noted; a plugin that goes on like this is unloaded. */
const mostFaults = 20;
const longestDisposeMs = 5_000;

/** Loads plugins and keeps track of what each of them added. In-process plugins have the rights of the service itself. */
export function createPluginHost(options: PluginHostOptions): PluginHost {
  const { config, clock, log, cwd, bundledDirectory, hideSecrets = (text) => text } = options;
  const services = new Map(Object.entries(options.services));
  const entries = new Map<string, PluginEntry>();
  const attribution = createAttribution();
  let watcher: BundleWatcher | undefined;
  let closing: Promise<void> | undefined;

  async function load(): Promise<void> {
    const { directories, allow } = config.plugins;
    const packageRoot = options.packageRoot ?? resolve(bundledDirectory, '../..');
    const found = discoverPlugins({ bundledDirectory, packageRoot, directories, cwd, log });
    const ordered = loadOrder(found);
    for (const plugin of ordered) {
      const state = allow === undefined || allow.includes(plugin.id) ? 'failed' : 'inactive';
      entries.set(plugin.id, { ...plugin, state, hasBundle: false, faults: 0 });
    }
    for (const name of Object.keys(config.plugins.config))
      if (!entries.has(name)) log.warn(`plugins.config has options for "${name}", but there is no such plugin.`);
    for (const name of allow ?? [])
      if (!entries.has(name)) log.warn(`plugins.allow names "${name}", but there is no such plugin.`);
    if (config.auth.mode === 'accounts' && allow === undefined && found.some((plugin) => !plugin.bundled))
      log.warn('Plugins run with the rights of the service for every tenant. Set plugins.allow to the ones you trust.');
    for (const entry of entries.values()) if (entry.bundled && entry.state !== 'inactive') importAhead(entry);
    for (const entry of entries.values()) if (entry.state !== 'inactive') await start(entry);
    if (config.plugins.hotReload && closing === undefined) watcher = await watch();
  }

  async function start(entry: PluginEntry): Promise<void> {
    const problem = entry.problem ?? dependencyProblem(entry, entries);
    if (problem !== undefined) return fail(entry, problem);
    try {
      await applyPlugin(entry, {
        services,
        attribution,
        clock,
        log: log.child({ plugin: entry.id }),
        configured: ownOptions(config.plugins.config, entry.id),
        timeoutMs: options.applyTimeoutMs,
        importModule: options.importModule,
      });
      entry.hasBundle = await hasEntryFile(entry);
      entry.state = 'active';
    } catch (error) {
      await fail(entry, messageOf(error));
    }
  }

  /** Reading files one beside the other shortens the start; others' modules may count on their dependencies being there. */
  function importAhead(entry: PluginEntry): void {
    entry.module = loadModule(entry, options.importModule);
    entry.module.catch(() => {});
  }

  async function fail(entry: PluginEntry, problem: string): Promise<void> {
    entry.state = 'failed';
    entry.error = hideSecrets(problem);
    log.error(`The plugin "${entry.id}" failed: ${problem}`);
    await dispose(entry);
  }

  async function dispose(entry: PluginEntry): Promise<void> {
    if (entry.scope === undefined) return;
    const disposed = entry.scope.dispose((error) =>
      log.warn(`Unloading the plugin "${entry.id}" met a problem: ${messageOf(error)}`),
    );
    // A plugin that never finishes unloading must not keep the service from stopping.
    if (!(await settledWithin(clock, longestDisposeMs, disposed)))
      log.warn(`Unloading the plugin "${entry.id}" is not waited for any longer.`);
  }

  async function watch(): Promise<BundleWatcher> {
    const isWatched = ({ state, manifest }: PluginEntry) => state === 'active' && manifest?.web !== undefined;
    return watchBundles([...entries.values()].filter(isWatched), {
      intervalMs: config.plugins.hotReloadIntervalMs,
      clock,
      // The first build of a bundle may come after the start.
      async changed(changes) {
        for (const entry of changes.flatMap(({ id }) => entries.get(id) ?? []))
          entry.hasBundle = await hasEntryFile(entry);
      },
    });
  }

  return {
    load: () =>
      load().catch((error: unknown) => {
        log.error('Loading plugins was broken off.', { error: String(error) });
      }),
    list: () => [...entries.values()].map((entry) => toPluginInfo(entry, watcher?.revision(entry.id))),
    async asset(pluginId, file) {
      const entry = entries.get(pluginId);
      return entry?.state === 'active' ? readAsset(entry.directory, file) : undefined;
    },
    get watching() {
      return watcher !== undefined;
    },
    watch: (fn) => watcher?.subscribe(fn) ?? (() => {}),
    blame(error) {
      const entry = entries.get(attribution.of(error, entries.values()) ?? '');
      if (entry === undefined) return undefined;
      const problem = messageOf(error);
      entry.error = hideSecrets(`An error was not caught: ${problem}`);
      entry.faults += 1;
      log.error(`The plugin "${entry.id}" did not catch an error: ${problem}`);
      if (entry.faults >= mostFaults && entry.state === 'active')
        void fail(entry, `Unloaded after ${mostFaults} errors that were not caught; the last one: ${problem}`);
      return entry.id;
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };

  async function closeAll(): Promise<void> {
    watcher?.stop();
    for (const entry of [...entries.values()].reverse()) await dispose(entry);
  }
}

/** A plugin may be called like something that every object has. */
function ownOptions(all: Config['plugins']['config'], id: string): Record<string, unknown> {
  return (Object.hasOwn(all, id) ? all[id] : undefined) ?? {};
}

/** Why the dependencies of a plugin do not allow it to start; undefined when they do. */
function dependencyProblem(entry: PluginEntry, entries: ReadonlyMap<string, PluginEntry>): string | undefined {
  const cycle = cycleThrough(entry.id, entries);
  if (cycle !== undefined) return `Its dependencies form a cycle: ${cycle.join(' -> ')}.`;
  for (const id of entry.manifest?.dependencies ?? []) {
    const dependency = entries.get(id);
    if (dependency === undefined) return `It needs the plugin "${id}", which was not found.`;
    if (dependency.state === 'inactive') return `It needs the plugin "${id}", which plugins.allow leaves out.`;
    if (dependency.state === 'failed') return `It needs the plugin "${id}", which failed.`;
  }
  return undefined;
}

async function hasEntryFile({ directory, manifest }: PluginEntry): Promise<boolean> {
  if (manifest?.web === undefined) return false;
  return (await stat(join(directory, 'web', manifest.web.entry)).catch(() => undefined))?.isFile() ?? false;
}
