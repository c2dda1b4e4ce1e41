import type { Undo } from '../base/clock.ts';
import type { PluginRoute } from '../plugin-api/services.ts';
import type { RouteSpec } from './endpoint.ts';
import { bySpecificity, matchPath, shapeOf } from './path-pattern.ts';

/** The routes that plugins add while the service runs. */
export interface RouteRegistry {
  /** Throws when the path does not start with `/api/`, or method and path are taken by a built-in route or another plugin. */
  register(route: PluginRoute, pluginId: string): Undo;
  /** Every registered route, with its plugin. */
  list(): { route: PluginRoute; pluginId: string }[];
  /** The route of a path, whatever parameters it has. */
  match(method: string, pathname: string): RouteMatch | undefined;
}

export interface RouteMatch {
  /** Absent when the path knows other methods only. */
  route?: PluginRoute;
  pluginId?: string;
  params: Record<string, string>;
  /** Those the path knows. */
  methods: string[];
  /** One of them needs no credential: that the path exists is no secret then. */
  isPublic: boolean;
}

interface Registered {
  route: PluginRoute;
  pluginId: string;
}

interface RegisteredPath {
  readonly path: string;
  readonly methods: Map<string, Registered>;
}

const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** `builtIn` are the service's own routes, which no plugin may take or hide behind. Matching is linear in the plugins' paths. */
export function createRouteRegistry(builtIn: readonly RouteSpec[]): RouteRegistry {
  const paths = new Map<string, RegisteredPath>();
  let ordered: RegisteredPath[] = [];
  const reorder = () => {
    ordered = [...paths.values()].sort((a, b) => bySpecificity(a.path, b.path));
  };
  return {
    register(route, pluginId) {
      check(route, builtIn);
      const shape = shapeOf(route.path);
      const entry = paths.get(shape) ?? { path: route.path, methods: new Map<string, Registered>() };
      const taken = entry.methods.get(route.method);
      if (taken) throw new Error(`Route ${route.method} ${route.path} is taken by the plugin ${taken.pluginId}.`);
      const registered = { route, pluginId };
      entry.methods.set(route.method, registered);
      paths.set(shape, entry);
      reorder();
      return () => {
        if (entry.methods.get(route.method) !== registered) return;
        entry.methods.delete(route.method);
        if (entry.methods.size === 0) paths.delete(shape);
        reorder();
      };
    },
    list: () => ordered.flatMap(({ methods }) => [...methods.values()]),
    match(method, pathname) {
      for (const entry of ordered) {
        const found = entry.methods.get(method);
        const params = matchPath(found?.route.path ?? entry.path, pathname);
        if (!params) continue;
        const isPublic = [...entry.methods.values()].some(({ route }) => route.public === true);
        return { ...found, params, methods: [...entry.methods.keys()], isPublic };
      }
      return undefined;
    },
  };
}

function check(route: PluginRoute, builtIn: readonly RouteSpec[]): void {
  const name = `${route.method} ${route.path}`;
  if (!methods.includes(route.method))
    throw new Error(`Route ${name}: the method must be one of ${methods.join(', ')}.`);
  if (!route.path.startsWith('/api/')) throw new Error(`Route ${name}: the path must start with /api/.`);
  if (typeof route.handler !== 'function') throw new Error(`Route ${name} has no handler function.`);
  if (route.public && route.admin)
    throw new Error(`Route ${name}: choose between public and admin, nobody is known before authentication.`);
  // Routes outside /api, the catch-all of static files first of all, never see an API path.
  const owner = builtIn.find(
    ({ method, path }) => method === route.method && path.startsWith('/api/') && matchPath(path, route.path),
  );
  if (owner) throw new Error(`Route ${name} is taken by the service itself (${owner.method} ${owner.path}).`);
}
