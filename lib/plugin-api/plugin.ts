import type { Logger } from '../base/log.ts';
import type { Services } from './services.ts';

/** What `apply` receives. Everything registered through `use` is undone when the plugin fails or is unloaded. */
export interface PluginContext<Options = Record<string, unknown>> {
  readonly plugin: { readonly id: string; readonly name: string; readonly version: string; readonly directory: string };
  /** Parsed and with defaults when the plugin declares `options`; otherwise as configured. */
  readonly options: Options;
  readonly log: Logger;
  /** Aborts when the plugin is unloaded. */
  readonly signal: AbortSignal;
  use<K extends keyof Services>(name: K): Services[K];
  use<T>(name: string): T;
  provide(name: string, service: unknown): void;
  onDispose(fn: () => void | Promise<void>): void;
}
