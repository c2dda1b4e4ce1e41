import { AsyncLocalStorage } from 'node:async_hooks';
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Owner {
  id: string;
  bundled: boolean;
}

type Callable = (...args: unknown[]) => unknown;

/** Finds the plugin behind an error that nobody caught. */
export interface Attribution {
  /** Runs a plugin's code so that whatever it starts (timers, sockets, promises) is known to be the plugin's. */
  run<T>(plugin: Owner, fn: () => T): T;
  /** Runs the service's code on a plugin's behalf: what that starts is not the plugin's. */
  leave<T>(plugin: Owner, fn: () => T): T;
  /** What a plugin registers, so that its functions also run as the plugin's when the service calls them. */
  adopt(plugin: Owner, item: unknown): unknown;
  /** The plugin whose asynchronous context this is, or whose file is in the stack. */
  of(error: unknown, plugins: Iterable<{ id: string; directory: string }>): string | undefined;
}

/**
 * The asynchronous context makes promises two to three times slower in the whole process, so it is only used once a
 * plugin from outside the package is loaded; bundled plugins are found by the stack.
 */
export function createAttribution(): Attribution {
  const current = new AsyncLocalStorage<string | undefined>();
  const owned = ({ id }: Owner, fn: Callable, self?: object): Callable => {
    return (...args) => current.run(id, () => fn.apply(self, args));
  };
  return {
    run: (plugin, fn) => (plugin.bundled ? fn() : current.run(plugin.id, fn)),
    leave: (plugin, fn) => (plugin.bundled ? fn() : current.run(undefined, fn)),
    adopt(plugin, item) {
      if (plugin.bundled) return item;
      if (typeof item === 'function') return owned(plugin, item as Callable);
      if (typeof item !== 'object' || item === null) return item;
      return new Proxy(item, {
        get(target, key) {
          const value: unknown = Reflect.get(target, key, target);
          // A frozen property must be given as it is.
          const fixed = Reflect.getOwnPropertyDescriptor(target, key)?.configurable === false;
          return typeof value === 'function' && !fixed ? owned(plugin, value as Callable, target) : value;
        },
      });
    },
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
