import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { withinTime } from '../base/time-limits.ts';
import type { PluginContext } from '../plugin-api/plugin.ts';
import { limits } from '../wire/limits.ts';
import type { Attribution } from './attribution.ts';
import { type ImportModule, loadModule, parseOptions } from './load-module.ts';
import type { PluginEntry } from './plugin-entry.ts';
import { createScope, type PluginScope } from './scope.ts';

export interface ApplyOptions {
  services: Map<string, unknown>;
  attribution: Attribution;
  clock: Clock;
  log: Logger;
  configured: Record<string, unknown>;
  timeoutMs?: number | undefined;
  importModule?: ImportModule | undefined;
}

/**
 * Imports a plugin and runs its `apply`, both within the time allowed. Rejects with a text for the operator; the caller
 * then disposes `entry.scope`, after which a late `apply` can't register anything more.
 */
export async function applyPlugin(entry: PluginEntry, options: ApplyOptions): Promise<void> {
  const { services, attribution, clock, timeoutMs = limits.pluginApplyMs } = options;
  const scope = createScope(services, entry.id, {
    adopt: (item) => attribution.adopt(entry, item),
    leave: (fn) => attribution.leave(entry, fn),
  });
  entry.scope = scope;
  // The clock's timers let the process end; before the port is open nothing else may hold it while a plugin hangs.
  const keepAlive = setInterval(() => {}, 60_000);
  const late = (): Error => new Error(timeoutText(timeoutMs, scope));
  try {
    const work = attribution.run(entry, () => importAndApply(entry, scope, options));
    await withinTime(clock, timeoutMs, { work, late });
  } finally {
    clearInterval(keepAlive);
  }
}

async function importAndApply(entry: PluginEntry, scope: PluginScope, options: ApplyOptions): Promise<void> {
  const plugin = await (entry.module ?? loadModule(entry, options.importModule));
  const { log, configured } = options;
  const parsed = parseOptions(plugin, configured, (message) => log.warn(`Plugin "${entry.id}": ${message}`));
  await plugin.apply({ ...contextOf(entry, scope, log), options: parsed });
}

function contextOf(entry: PluginEntry, scope: PluginScope, log: Logger): Omit<PluginContext<unknown>, 'options'> {
  const { id, manifest, directory } = entry;
  return {
    plugin: { id, name: manifest?.displayName ?? id, version: manifest?.version ?? '0.0.0', directory },
    log,
    signal: scope.signal,
    use: (name: string) => scope.use(name) as never,
    provide: scope.provide,
    onDispose: scope.onDispose,
  };
}

function timeoutText(timeoutMs: number, scope: PluginScope): string {
  const waiting = scope.pending();
  const cause = waiting.length > 0 ? ` It is still waiting for ${waiting.join(', ')}.` : '';
  return `It did not finish loading within ${timeoutMs / 1000} seconds.${cause}`;
}
