import type { Undo } from '../base/clock.ts';
import type { PluginInfo } from '../wire/plugin.ts';

/** A browser asset, read whole. */
export interface PluginAsset {
  bytes: Uint8Array<ArrayBuffer>;
  /** For the content type. */
  fileName: string;
  modifiedAt: number;
}

/** Which bundles changed (contract: the data of a `plugins.changed` frame, without type and time). */
export type BundleChanges = { id: string; revision: string }[];

export interface PluginHost {
  /** Scans the directories and applies what is found: dependencies first, 20 s each, failures isolated. Never rejects. */
  load(): Promise<void>;
  list(): PluginInfo[];
  /** A file of an active plugin's `web/` directory; undefined for anything else. */
  asset(pluginId: string, file: string): Promise<PluginAsset | undefined>;
  /** True while the bundles are watched (`plugins.hotReload`). */
  readonly watching: boolean;
  /** Calls `fn` whenever bundles changed; never when nothing is watched. */
  watch(fn: (changes: BundleChanges) => void): Undo;
  /**
   * For an error that nobody caught: when it is a plugin's, notes it there and returns the plugin's id; otherwise
   * undefined. Call it inside the process's `uncaughtException` or `unhandledRejection` handler, where the asynchronous
   * context is still that of the error.
   */
  blame(error: unknown): string | undefined;
  /** Disposes in reverse order. Idempotent. */
  close(): Promise<void>;
}
