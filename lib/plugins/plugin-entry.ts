import type { Plugin } from '../plugin-api/define-plugin.ts';
import type { PluginInfo, PluginState } from '../wire/plugin.ts';
import type { FoundPlugin } from './discover.ts';
import type { PluginScope } from './scope.ts';

/** One plugin as the host keeps it. */
export interface PluginEntry extends FoundPlugin {
  state: PluginState;
  error?: string;
  /** Present once `apply` was begun. */
  scope?: PluginScope;
  /** True when the manifest names a bundle and its entry file is there. */
  hasBundle: boolean;
  /** The module of a bundled plugin, imported ahead of its turn. */
  module?: Promise<Plugin<unknown>>;
  /** Errors that nobody caught. */
  faults: number;
}

/** Contract: PluginInfo (DECISIONS.md, Names and shapes). `revision` only while the bundle is watched. */
export function toPluginInfo(entry: PluginEntry, revision: string | undefined): PluginInfo {
  const { id, manifest, state, error, hasBundle } = entry;
  const info: PluginInfo = {
    id,
    name: manifest?.displayName ?? id,
    version: manifest?.version ?? '0.0.0',
    state,
    dependencies: manifest?.dependencies ?? [],
  };
  if (manifest?.description !== undefined) info.description = manifest.description;
  if (error !== undefined) info.error = error;
  const web = manifest?.web;
  if (web !== undefined && hasBundle)
    info.web = {
      entry: assetUrl(id, web.entry),
      css: web.css.map((file) => assetUrl(id, file)),
      ...(web.api === undefined ? {} : { api: web.api }),
      capabilities: web.capabilities,
      ...(revision === undefined ? {} : { revision }),
    };
  return info;
}

function assetUrl(id: string, file: string): string {
  return `/plugins/${encodeURIComponent(id)}/${file.split('/').map(encodeURIComponent).join('/')}`;
}
