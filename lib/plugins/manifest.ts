import { array, optional, pattern, size, string, type, unknown, validate } from 'superstruct';

/** The manifest file of a plugin folder (contract: Plugin browser bundles; PLUGINS.md). */
export const manifestFile = 'service.plugin.json';

/** The `web` part after its rules were applied; paths are POSIX and relative to the plugin's `web/` directory. */
export interface WebManifest {
  entry: string;
  css: string[];
  /** Grants; absent means read-only access to the whole API. */
  api?: string[];
  capabilities: string[];
}

export interface Manifest {
  name: string;
  version: string;
  displayName?: string;
  description?: string;
  /** Relative to the folder; absent means `index.js`, or `index.mjs` where that one is missing. */
  main?: string;
  dependencies: string[];
  web?: WebManifest;
}

const capabilities = new Set(['composer.submit']);

const Shape = type({
  name: pattern(size(string(), 1, 128), /^[^\p{C}\\]+$/u),
  version: optional(string()),
  displayName: optional(string()),
  description: optional(string()),
  main: optional(string()),
  dependencies: optional(array(string())),
  web: optional(unknown()),
});

/**
 * Reads the text of a manifest. Throws when it is no JSON or a required field is missing or wrong; what the contract
 * merely drops (unsafe `web` paths, unknown capabilities) is told to `warn`.
 */
export function parseManifest(text: string, warn: (message: string) => void): Manifest {
  const [problem, shape] = validate(parseJson(text), Shape);
  if (problem) throw new Error(`${manifestFile}: "${problem.path.join('.') || 'the file'}" is missing or not valid.`);
  const { name, version = '0.0.0', displayName, description, main, dependencies = [] } = shape;
  if (name === '.' || name === '..') throw new Error(`${manifestFile}: "${name}" is no plugin name.`);
  if (main !== undefined && !isInside(main))
    throw new Error(`${manifestFile}: "main" must lie inside the plugin's folder.`);
  const web = parseWeb(shape.web, warn);
  return {
    name,
    version,
    dependencies,
    ...(displayName ? { displayName } : {}),
    ...(description ? { description } : {}),
    ...(main === undefined ? {} : { main }),
    ...(web === undefined ? {} : { web }),
  };
}

/** True for a relative path without `..` segments, drive letters or NUL: what may be joined to a directory. */
export function isInside(path: string): boolean {
  if (path === '' || path.includes('\0')) return false;
  const steps = path.split(/[\\/]/);
  return steps[0] !== '' && !/^[A-Za-z]:/.test(path) && !steps.includes('..');
}

function parseWeb(value: unknown, warn: (message: string) => void): WebManifest | undefined {
  if (value === undefined || value === null) return undefined;
  const web: Record<string, unknown> = typeof value === 'string' ? { entry: value } : asObject(value);
  const [entry] = safePaths([web.entry], 'web.entry', warn);
  if (entry === undefined) {
    warn('"web" names no usable entry; the plugin has no browser bundle.');
    return undefined;
  }
  const wanted = strings(web.capabilities);
  for (const name of wanted) if (!capabilities.has(name)) warn(`the capability "${name}" is unknown and was dropped.`);
  return {
    entry,
    css: safePaths(strings(web.css), 'web.css', warn),
    // Something that is not a list of grants grants nothing: leaving it out would open the whole API for reading.
    ...(web.api === undefined ? {} : { api: strings(web.api) }),
    capabilities: wanted.filter((name) => capabilities.has(name)),
  };
}

function safePaths(paths: unknown[], where: string, warn: (message: string) => void): string[] {
  return paths.flatMap((path) => {
    if (typeof path === 'string' && isInside(path)) return [path.replaceAll('\\', '/').replace(/^(\.\/)+/, '')];
    if (path !== undefined) warn(`a path in "${where}" is not inside the plugin's web/ directory and was dropped.`);
    return [];
  });
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new Error(`${manifestFile} is not valid JSON.`);
  }
}
