import { AsyncLocalStorage } from 'node:async_hooks';
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Finds the plugin behind an error that nobody caught. */
export interface Attribution {
  /** Runs a plugin's code so that whatever it starts (timers, sockets, promises) is known to be the plugin's. */
  run<T>(plugin: { id: string; bundled: boolean }, fn: () => T): T;
  /** The plugin whose asynchronous context this is, or whose file is in the stack. */
  of(error: unknown, plugins: Iterable<{ id: string; directory: string }>): string | undefined;
}

/**
 * The asynchronous context makes promises two to three times slower in the whole process, so it is only used once a
 * plugin from outside the package is loaded; bundled plugins are found by the stack.
 */
export function createAttribution(): Attribution {
  const current = new AsyncLocalStorage<string>();
  return {
    run: (plugin, fn) => (plugin.bundled ? fn() : current.run(plugin.id, fn)),
    of(error, plugins) {
      const running = current.getStore();
      if (running !== undefined) return running;
      const stack = error instanceof Error ? (error.stack ?? '') : '';
      for (const { id, directory } of plugins)
        if (stack.includes(`${pathToFileURL(directory).href}/`) || stack.includes(directory + sep)) return id;
      return undefined;
    },
  };
}
