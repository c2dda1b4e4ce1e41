import type { Undo } from '../base/clock.ts';
import type { PluginRoute } from '../plugin-api/services.ts';

/** The routes that plugins add while the service runs. */
export interface RouteRegistry {
  /** Throws when the path does not start with `/api/`, or method and path are taken by a built-in route or another plugin. */
  register(route: PluginRoute, pluginId: string): Undo;
  /** The route of a path, whatever parameters it has; `methods` are those the path knows. */
  match(
    method: string,
    pathname: string,
  ): { route?: PluginRoute; pluginId?: string; params: Record<string, string>; methods: string[] } | undefined;
}
