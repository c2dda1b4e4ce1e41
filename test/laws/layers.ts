import type { Graph } from './graph.ts';

/** Who stands where. A file imports its own folder and folders of a lower level, and nothing else of ours. */
export const levels: Readonly<Record<string, number>> = {
  'lib/wire': 0,
  'lib/base': 0,
  'lib/config': 1,
  'lib/models': 1,
  'lib/store': 1,
  'lib/events': 1,
  'lib/workspace': 1,
  'lib/auth': 1,
  'lib/tools': 2,
  'lib/session': 2,
  'lib/checkpoints': 2,
  'lib/run': 3,
  'lib/service': 4,
  'lib/http': 5,
  'lib/plugin-api': 5,
  'lib/plugins': 6,
};

/** Folders that do not stand on the ladder name what they may import. A path that ends in `.ts` is that file only. */
export const exceptions: Readonly<Record<string, readonly string[]>> = {
  'lib/client': ['lib/wire'],
  handlers: ['lib/wire', 'lib/http', 'lib/service'],
  plugins: ['lib/plugin-api/index.ts'],
  public: ['lib/wire', 'lib/client'],
  host: [...Object.keys(levels), 'handlers', ...forDoctor()],
};

/** What `doctor` examines is what the plugins themselves read and start; nothing else in the host knows a plugin. */
function forDoctor(): string[] {
  const providers = ['chat-completions', 'messages-api'];
  return [
    ...providers.flatMap((plugin) => [`plugins/${plugin}/index.ts`, `plugins/${plugin}/options.ts`]),
    'plugins/browser/find-chromium.ts',
    'plugins/core-tools/shell/sandbox.ts',
  ];
}

/** What these folders may import from outside; others may import any package. */
export const packages: Readonly<Record<string, RegExp>> = {
  'lib/wire': /^(superstruct|ulid)$/,
  'lib/base': /^node:/,
  'lib/client': /^$/,
};

/** Every import that goes up, sideways or outside, as a sentence. */
export function findLayerFaults(graph: Graph): string[] {
  return Object.entries(graph).flatMap(([path, { own, external }]) => {
    const folder = folderOf(path);
    if (folder === undefined) return [`${path} lies in a folder that the laws do not know`];
    const outside = external.filter((name) => packages[folder]?.test(name) === false);
    return [
      ...own.filter((target) => !mayImport(path, target)).map((target) => `${path} must not import ${target}`),
      ...outside.map((name) => `${path} must not import ${name}: ${folder} allows ${packages[folder]}`),
    ];
  });
}

function mayImport(path: string, target: string): boolean {
  const folder = folderOf(path);
  const home = folderOf(target);
  if (folder === undefined || home === undefined) return false;
  if (unitOf(path) === unitOf(target)) return true;
  const allowed = exceptions[folder];
  if (allowed) return allowed.some((entry) => (entry.endsWith('.ts') ? entry === target : entry === home));
  const [from, to] = [levels[folder], levels[home]];
  return from !== undefined && to !== undefined && to < from;
}

/** The folder that carries the rules for a file. */
function folderOf(path: string): string | undefined {
  const known = [...Object.keys(levels), ...Object.keys(exceptions)];
  return known.find((folder) => path.startsWith(`${folder}/`));
}

/** What may import itself freely: a folder; for plugins each plugin, for handlers nothing but the file. */
function unitOf(path: string): string {
  if (path.startsWith('plugins/')) return path.split('/').slice(0, 2).join('/');
  return path.startsWith('handlers/') ? path : (folderOf(path) ?? path);
}
