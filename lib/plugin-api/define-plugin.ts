import type { PluginContext } from './plugin.ts';

/**
 * Anything that turns what the operator configured into options, or throws: a superstruct struct, or a `parse`
 * function's owner.
 */
export type OptionsParser<Options> = { create(value: unknown): Options } | { parse(value: unknown): Options };

/** The default export of a plugin's module. */
export interface Plugin<Options = Record<string, unknown>> {
  /** Parses `plugins.config.<name>` (`{}` when absent) before `apply`; a throw makes the plugin `failed`. */
  options?: OptionsParser<Options>;
  /** Registers what the plugin adds. At most 20 seconds; a throw undoes everything and makes the plugin `failed`. */
  apply(context: PluginContext<Options>): void | Promise<void>;
}

/** Returns the plugin as it is: only for the types. */
export function definePlugin<Options = Record<string, unknown>>(plugin: Plugin<Options>): Plugin<Options> {
  return plugin;
}
