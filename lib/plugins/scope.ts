import type { Undo } from '../base/clock.ts';

/** What one plugin has taken from the service, so that it can all be given back. */
export interface PluginScope {
  /** A service whose `register` and `subscribe` are recorded. Throws when there is none of that name, or after the end. */
  use(name: string): unknown;
  /** Offers a service to other plugins until the end. Throws when the name is taken. */
  provide(name: string, service: unknown): void;
  /** Runs at the end, latest first; at once when the end was before. */
  onDispose(fn: () => void | Promise<void>): void;
  readonly signal: AbortSignal;
  /** Calls to services that have not answered yet (`models.list`), for the text of a timeout. */
  pending(): string[];
  /** Undoes everything in reverse order; failures go to `report`. Idempotent; later registrations are refused. */
  dispose(report: (error: unknown) => void): Promise<void>;
}

export interface ScopeOptions {
  /** Applied to whatever is registered, before the service gets it. */
  adopt?: (item: unknown) => unknown;
  /** Wraps every call of a service. */
  leave?: (fn: () => unknown) => unknown;
}

/** Methods that return an undo. */
const recorded = new Set(['register', 'subscribe']);

/**
 * @param services what `use` finds, by name; `provide` adds to it
 * @param pluginId handed to every `register` and `subscribe` behind its own arguments, for services that name the owner
 */
export function createScope(
  services: Map<string, unknown>,
  pluginId: string,
  { adopt = (item) => item, leave = (fn) => fn() }: ScopeOptions = {},
): PluginScope {
  const undos: (() => void | Promise<void>)[] = [];
  const calls = new Set<string>();
  const abort = new AbortController();
  let disposed: Promise<void> | undefined;

  const refuseAfterEnd = (): void => {
    if (disposed !== undefined) throw new Error(`The plugin "${pluginId}" has been unloaded.`);
  };

  const call = (service: object, name: string, method: string, fn: (...args: unknown[]) => unknown) => {
    return (...args: unknown[]): unknown => {
      if (recorded.has(method)) {
        refuseAfterEnd();
        return record(leave(() => fn.call(service, ...args.map(adopt), pluginId)));
      }
      const result = leave(() => fn.apply(service, args));
      if (result instanceof Promise) track(`${name}.${method}`, result);
      return result;
    };
  };

  const record = (undo: unknown): unknown => {
    if (typeof undo !== 'function') return undo;
    const once: Undo = () => {
      const at = undos.indexOf(once);
      if (at === -1) return;
      undos.splice(at, 1);
      undo();
    };
    undos.push(once);
    return once;
  };

  const track = (label: string, result: Promise<unknown>): void => {
    calls.add(label);
    const done = () => void calls.delete(label);
    result.then(done, done);
  };

  const scoped = (name: string, service: object): object =>
    new Proxy<Record<string, unknown>>(
      {},
      {
        has: (_, key) => key in service,
        get(_, key) {
          const value: unknown = Reflect.get(service, key);
          return typeof key === 'string' && typeof value === 'function'
            ? call(service, name, key, value as (...args: unknown[]) => unknown)
            : value;
        },
      },
    );

  return {
    use(name) {
      refuseAfterEnd();
      if (!services.has(name)) throw new Error(unknownService(name, [...services.keys()]));
      const service = services.get(name);
      return typeof service === 'object' && service !== null ? scoped(name, service) : service;
    },
    provide(name, service) {
      refuseAfterEnd();
      if (services.has(name)) throw new Error(`A service with the name "${name}" exists already.`);
      services.set(name, service);
      undos.push(() => void services.delete(name));
    },
    onDispose(fn) {
      if (disposed === undefined) undos.push(fn);
      else void disposed.then(fn).catch(() => {});
    },
    signal: abort.signal,
    pending: () => [...calls],
    dispose(report) {
      disposed ??= undoAll(undos, abort, report);
      return disposed;
    },
  };
}

async function undoAll(
  undos: (() => void | Promise<void>)[],
  abort: AbortController,
  report: (error: unknown) => void,
): Promise<void> {
  const latestFirst = undos.toReversed();
  abort.abort(new Error('The plugin is being unloaded.'));
  for (const undo of latestFirst) {
    try {
      await undo();
    } catch (error) {
      report(error);
    }
  }
}

function unknownService(name: string, known: string[]): string {
  return `There is no service "${name}". Known: ${known.sort().join(', ')}. If a plugin provides it, list that plugin under "dependencies" in the manifest.`;
}
