export type PluginState = 'active' | 'failed' | 'inactive';

/** The browser bundle of a plugin; `entry` and `css` are URL paths (`/plugins/<id>/<file>`) without the revision. */
export interface PluginWeb {
  entry: string;
  css: string[];
  /** Grants; absent means read-only access to the whole API. */
  api?: string[];
  capabilities: string[];
  /** Fingerprint of the bundle, present while hot reload watches it. */
  revision?: string;
}

/** Contract: PluginInfo. */
export interface PluginInfo {
  id: string;
  name: string;
  version: string;
  description?: string;
  state: PluginState;
  dependencies: string[];
  error?: string;
  web?: PluginWeb;
}

/** A frame of the plugin stream: first `ready`, then one `plugins.changed` per save. */
export type PluginEvent =
  | { type: 'ready'; enabled: boolean; plugins: { id: string; revision: string }[] }
  | { type: 'plugins.changed'; plugins: { id: string; revision: string }[]; at: string };
