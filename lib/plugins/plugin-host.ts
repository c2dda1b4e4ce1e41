import type { PluginInfo } from '../wire/plugin.ts';

export interface PluginHost {
  /** Scans the directories and applies what is found: dependencies first, 20 s each, failures isolated. Never rejects. */
  load(): Promise<void>;
  list(): PluginInfo[];
  /** The absolute path of a browser asset of an active plugin, or undefined. */
  asset(pluginId: string, file: string): string | undefined;
  /** Disposes in reverse order. */
  close(): Promise<void>;
}
