import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { create, StructError } from 'superstruct';
import { systemCode } from '../base/caught.ts';
import { ConfigError } from '../base/config-error.ts';
import { nearest } from '../base/nearest.ts';
import { packageRoot as ownPackageRoot } from '../base/package-root.ts';
import { limits } from '../wire/limits.ts';
import type { Config } from './config.ts';
import { isRecord } from './rules.ts';
import { configSchema, defaultWebRoot, type Settings } from './schema.ts';
import { unknownKeys } from './unknown-keys.ts';
import { fileVariable, variables } from './variables.ts';

export interface LoadConfigOptions {
  /** The environment; command-line flags have been written into it by the caller, so they win. */
  env: Readonly<Record<string, string | undefined>>;
  /** Relative paths are resolved against it. */
  cwd: string;
  /** What the configuration file would hold, for programs. No file is read then. */
  settings?: Readonly<Record<string, unknown>>;
  /** The folder of the installed package, home of the built-in console. Default: the package that this code belongs to. */
  packageRoot?: string;
  /** The text of a file; undefined when there is none. */
  readFile?: (path: string) => string | undefined;
  isDirectory?: (path: string) => boolean;
}

const defaultFile = 'service.config.json';

/**
 * Defaults, then the file, then the environment (contract: Configuration keys). What is odd but harmless becomes a
 * warning. Throws {@link ConfigError} (`exitCode` 78) naming the key, its rule and where the value came from.
 */
export function loadConfig(options: LoadConfigOptions): { config: Config; warnings: string[] } {
  const { values, file } = readConfigFile(options);
  const warnings = unknownKeys(values, configSchema).map(
    ({ key, suggestion }) =>
      `${file}: unknown key "${key}" is ignored${suggestion === undefined ? '' : `; did you mean "${suggestion}"?`}`,
  );
  const sources = applyEnvironment(values, options.env);
  warnings.push(...misspeltVariables(options.env));
  const settings = check(values, (key) => sources.get(key) ?? file);
  const corsOriginsExplicit = isRecord(values.server) && values.server.corsOrigins !== undefined;
  return { config: complete(settings, { ...options, corsOriginsExplicit, warnings }), warnings };
}

function readConfigFile({ env, cwd, settings, readFile = readIfThere }: LoadConfigOptions) {
  if (settings !== undefined) return { values: structuredClone({ ...settings }), file: 'the object of settings' };
  const named = env[fileVariable]?.trim() || undefined;
  const path = resolve(cwd, named ?? defaultFile);
  const source = read(path, readFile);
  if (source === undefined && named !== undefined)
    throw new ConfigError(
      `The configuration file ${path} does not exist (named by ${fileVariable} or --config). Create it or remove the setting.`,
    );
  return { values: source === undefined ? {} : parse(source, path), file: path };
}

function read(path: string, readFile: (path: string) => string | undefined): string | undefined {
  try {
    return readFile(path);
  } catch (error) {
    const code = systemCode(error);
    throw new ConfigError(`The configuration file ${path} cannot be read${code === undefined ? '' : ` (${code})`}.`);
  }
}

function parse(source: string, path: string): Record<string, unknown> {
  let values: unknown;
  try {
    values = JSON.parse(source.replace(/^\uFEFF/, ''));
  } catch (error) {
    const position = Number(/position (\d+)/.exec(String(error))?.[1] ?? Number.NaN);
    const line = Number.isNaN(position) ? '' : ` near line ${source.slice(0, position).split('\n').length}`;
    throw new ConfigError(`The configuration file ${path} is not valid JSON${line}.`);
  }
  if (!isRecord(values)) throw new ConfigError(`The configuration file ${path} must hold one JSON object.`);
  return values;
}

/** Writes what the environment sets over the file's values; returns which variable each such key came from. */
function applyEnvironment(values: Record<string, unknown>, env: LoadConfigOptions['env']): Map<string, string> {
  const sources = new Map<string, string>();
  for (const { name, key, flag, read, emptyCounts } of variables) {
    const value = env[name];
    if (value === undefined || (value.trim() === '' && emptyCounts !== true)) continue;
    const [sectionName = '', ...rest] = key.split('.');
    const section = isRecord(values[sectionName]) ? { ...values[sectionName] } : values[sectionName];
    if (section !== undefined && !isRecord(section)) continue;
    values[sectionName] = { ...section, [rest.join('.')]: read(value) };
    sources.set(key, flag === undefined ? name : `${name} or ${flag}`);
  }
  return sources;
}

function misspeltVariables(env: LoadConfigOptions['env']): string[] {
  const known = [fileVariable, ...variables.map(({ name }) => name)];
  return Object.keys(env)
    .filter((name) => name.startsWith('SERVICE_') && !known.includes(name))
    .flatMap((name) => {
      const meant = nearest(name, known, { within: 2 });
      return meant === undefined ? [] : [`unknown variable ${name} is ignored; did you mean ${meant}?`];
    });
}

function check(values: Record<string, unknown>, sourceOf: (key: string) => string): Settings {
  try {
    return create(values, configSchema);
  } catch (error) {
    if (!(error instanceof StructError)) throw error;
    const { path, type, value } = error;
    const key = path.join('.');
    const rule = type === 'type' ? 'an object' : type;
    throw new ConfigError(`"${key}" must be ${rule}, but ${sourceOf(key)} gives ${kindOf(value)}.`);
  }
}

/** The kind of a value, never the value. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return value === '' ? 'empty text' : 'text';
  if (typeof value !== 'number') return typeof value === 'boolean' ? 'true or false' : 'an object';
  if (!Number.isInteger(value)) return 'a fraction';
  return value < 0 ? 'a negative number' : 'a number';
}

interface Completion extends LoadConfigOptions {
  corsOriginsExplicit: boolean;
  warnings: string[];
}

function complete(settings: Settings, completion: Completion): Config {
  const { cwd, corsOriginsExplicit, warnings } = completion;
  const { server, plugins, storage, auth } = settings;
  const absolute = (path: string): string => resolve(cwd, path);
  const least = limits.hotReloadLeastMs;
  if (plugins.hotReload && plugins.hotReloadIntervalMs < least)
    warnings.push(`"plugins.hotReloadIntervalMs" is below ${least}; ${least} is used`);
  return {
    ...settings,
    server: {
      ...server,
      token: server.token.trim(),
      corsOriginsExplicit,
      webRoot: webRoot(server.webRoot, completion),
    },
    agent: { ...settings.agent, workspace: workspaceDirectory(settings.agent.workspace, completion) },
    plugins: {
      ...plugins,
      directories: plugins.directories.map(absolute),
      hotReloadIntervalMs: Math.max(least, plugins.hotReloadIntervalMs),
    },
    storage: {
      ...storage,
      directory: absolute(storage.directory),
      driver: storage.driver === 'pglite' ? 'sqlite' : storage.driver,
    },
    auth: {
      ...auth,
      mode: authMode(settings, warnings),
      workspaces: Object.fromEntries(Object.entries(auth.workspaces).map(([id, path]) => [id, absolute(path)])),
    },
  };
}

/** An empty `server.token` disables authentication (contract: Authentication), also where mode token was asked for. */
function authMode({ auth, server }: Settings, warnings: string[]): Config['auth']['mode'] {
  const hasToken = server.token.trim() !== '';
  if (auth.mode === 'token' && !hasToken)
    warnings.push('"auth.mode" is "token", but "server.token" is empty: authentication is OFF. Set server.token');
  return auth.mode === 'accounts' || auth.mode === 'none' ? auth.mode : hasToken ? 'token' : 'none';
}

/** It may come later, on a volume for one: that it is not there is worth a line, not the end of the start. */
function workspaceDirectory(
  configured: string,
  { cwd, warnings, isDirectory = directoryExists }: Pick<Completion, 'cwd' | 'warnings' | 'isDirectory'>,
): string {
  const path = resolve(cwd, configured);
  if (!isDirectory(path))
    warnings.push(`"agent.workspace" is not a directory (${path}); new sessions have no files until it is there`);
  return path;
}

function webRoot(
  configured: string,
  { cwd, packageRoot = ownPackageRoot(), warnings, isDirectory = directoryExists }: Completion,
): string {
  const path = resolve(cwd, configured);
  if (isDirectory(path)) return path;
  if (configured !== defaultWebRoot)
    warnings.push(`"server.webRoot" is not a directory (${path}); the console of the package is served instead`);
  return join(packageRoot, 'dist', 'public');
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function directoryExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
