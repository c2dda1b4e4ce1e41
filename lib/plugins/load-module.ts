import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from '../plugin-api/define-plugin.ts';
import type { FoundPlugin } from './discover.ts';

/** Imports a plugin's module. Throws with a text for its author when there is no module or no usable default export. */
export async function loadModule({ directory, manifest }: FoundPlugin): Promise<Plugin<unknown>> {
  const file = await mainFile(directory, manifest?.main);
  const module: { default?: unknown } = await import(pathToFileURL(file).href);
  const plugin = module.default;
  if (typeof plugin !== 'object' || plugin === null || !('apply' in plugin) || typeof plugin.apply !== 'function')
    throw new Error('The module has no default export of the form { options?, apply(context) }.');
  return plugin as Plugin<unknown>;
}

/** Runs the plugin's own parser over its configuration; without one the options are the configuration. */
export function parseOptions({ options }: Plugin<unknown>, configured: Record<string, unknown>): unknown {
  if (options === undefined) return configured;
  try {
    if ('create' in options) return options.create(configured);
    if ('parse' in options) return options.parse(configured);
  } catch (error) {
    throw new Error(`Its options are not valid: ${describeProblem(error)}`, { cause: error });
  }
  throw new Error('"options" has neither a `create` nor a `parse` function.');
}

async function mainFile(directory: string, main: string | undefined): Promise<string> {
  const names = main === undefined ? ['index.js', 'index.mjs'] : [main];
  for (const name of names) {
    const file = join(directory, name);
    if ((await stat(file).catch(() => undefined))?.isFile()) return file;
  }
  throw new Error(`There is no ${names.join(' or ')} in the plugin's folder.`);
}

/** A validation message without the value that was refused: it may be a credential. */
function describeProblem(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown problem.';
  const text = error.message.replace(/,? but received: .*$/s, '').replace(/^At path: (\S+) -- /, '"$1": ');
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
