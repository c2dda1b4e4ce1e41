import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf, systemCode } from '../base/caught.ts';
import type { Plugin } from '../plugin-api/define-plugin.ts';
import type { FoundPlugin } from './discover.ts';

const packageName = 'agent-session-service';

/** As `import()`, for a program whose own `import()` cannot be used. The URL is absolute. */
export type ImportModule = (url: string) => Promise<object>;

/** Imports a plugin's module. Throws with a text for its author when there is no module or no usable default export. */
export async function loadModule(
  { directory, manifest }: FoundPlugin,
  importModule: ImportModule = (url) => import(url),
): Promise<Plugin<unknown>> {
  const file = mainFile(directory, manifest?.main);
  const module: { default?: unknown } = await importModule(pathToFileURL(file).href).catch((error: unknown) => {
    throw withAdvice(error);
  });
  const plugin = module.default;
  if (typeof plugin !== 'object' || plugin === null || !('apply' in plugin) || typeof plugin.apply !== 'function')
    throw new Error('The module has no default export of the form { options?, apply(context) }.');
  return plugin as Plugin<unknown>;
}

/**
 * Runs the plugin's own parser over its configuration; without one the options are the configuration. Options that a
 * struct does not know are told to `warn` and left out, as everywhere in the configuration; inside of an option they are an error.
 */
export function parseOptions(
  { options }: Plugin<unknown>,
  configured: Record<string, unknown>,
  warn: (message: string) => void,
): unknown {
  if (options === undefined) return configured;
  try {
    if ('create' in options) return options.create(knownOptions(options, configured, warn));
    if ('parse' in options) return options.parse(configured);
  } catch (error) {
    throw new Error(`Its options are not valid: ${describeProblem(error)}`, { cause: error });
  }
  throw new Error('"options" has neither a `create` nor a `parse` function.');
}

/** A struct of an object carries its fields as `schema`. */
function knownOptions(
  struct: object,
  configured: Record<string, unknown>,
  warn: (message: string) => void,
): Record<string, unknown> {
  const schema: unknown = 'schema' in struct ? struct.schema : undefined;
  if (typeof schema !== 'object' || schema === null) return configured;
  const unknown = Object.keys(configured).filter((key) => !Object.hasOwn(schema, key));
  for (const key of unknown) warn(`The option "${key}" is not known and was ignored.`);
  return Object.fromEntries(Object.entries(configured).filter(([key]) => !unknown.includes(key)));
}

/** A global installation is no place where Node looks for packages. */
function withAdvice(error: unknown): unknown {
  const isOurs = systemCode(error) === 'ERR_MODULE_NOT_FOUND' && messageOf(error).includes(`package '${packageName}'`);
  if (!isOurs) return error;
  const advice = "Install it in the plugin's folder or one above, or do without the import: a plain object will do.";
  return new Error(`${messageOf(error)}. ${advice}`, { cause: error });
}

function mainFile(directory: string, main: string | undefined): string {
  const names = main === undefined ? ['index.js', 'index.mjs'] : [main];
  for (const name of names) {
    const file = join(directory, name);
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
  }
  throw new Error(`There is no ${names.join(' or ')} in the plugin's folder.`);
}

/** A validation message without the value that was refused: it may be a credential. */
function describeProblem(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown problem.';
  const text = error.message
    .replace(/,? but received:? .*$/s, '')
    .replace(/^At path: (\S+) -- /, '"$1": ')
    .replace('Expected a value of type `never`', 'there is no such option');
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
