import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { globSync } from '../glob.mjs';

/** The folders of the product, in the order in which a reader meets them. */
export const folders = ['handlers', 'lib', 'host', 'plugins', 'public'];

/** What may lie in the root of the repository. */
export const rootNames = new Set([
  ...folders,
  ...[
    'test',
    '.ci',
    '.dockerignore',
    '.gitignore',
    'Dockerfile',
    'biome.json',
    'build.mjs',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.types.json',
  ],
  ...[
    'README.md',
    'ARCHITECTURE.md',
    'DECISIONS.md',
    'PLUGINS.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'OPERATIONS.md',
    'LICENSE',
  ],
]);

export const maximumLines = 250;

export interface Source {
  path: string;
  text: string;
}

/** The TypeScript of the product. */
export function readSources(): Source[] {
  return folders.flatMap((folder) => globSync(folder, /\.tsx?$/)).map(readSource);
}

/** Everything a person reads and edits: code, styles and pages, tests too; recorded fixtures are data. */
export function readEditedFiles(): Source[] {
  const code = /\.(tsx?|mjs|js|css|html)$/;
  return [...folders, 'test', 'build.mjs']
    .flatMap((folder) => globSync(folder, code))
    .filter((path) => !path.includes('/fixtures/'))
    .map(readSource);
}

/** The tracked files, or undefined outside a git checkout. */
export function trackedFiles(): string[] | undefined {
  const git = spawnSync('git', ['ls-files', '-z'], { encoding: 'utf8', maxBuffer: 1 << 26 });
  return git.status === 0 ? git.stdout.split('\0').filter(Boolean) : undefined;
}

export function readSource(path: string): Source {
  return { path, text: readFileSync(path, 'utf8') };
}

export function findLongFiles(sources: Source[]): string[] {
  return sources
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0) }))
    .filter(({ lines }) => lines > maximumLines)
    .map(({ path, lines }) => `${path} has ${lines} lines, ${maximumLines} are allowed`);
}

/** Run-time re-exports. Types may be passed on, they are erased. */
export function findBarrels({ path, text }: Source): string[] {
  if (path === 'lib/plugin-api/index.ts') return [];
  const reexport = /^export (?!type\b)(?:\*[^;]*?|\{[^}]*\}) from /m;
  return reexport.test(text) ? [`${path} re-exports: import from where a thing is defined`] : [];
}

/** Comments that silence the compiler or the linter. */
export function findSuppressions({ path, text }: Source): string[] {
  const found = /@ts-(ignore|expect-error|nocheck)|biome-(ignore)|eslint-(disable)/.exec(text);
  return found ? [`${path} holds the suppression ${found[0]}`] : [];
}

/** Plugins know `lib/plugin-api` and themselves, types included: they are what an outsider could have written. */
export function findPluginImports({ path, text }: Source): string[] {
  const own = path.split('/').slice(0, 2).join('/');
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']*)'/g)]
    .map((match) => new URL(match[1] ?? '', `file:///${path}`).pathname.slice(1))
    .filter((target) => !target.startsWith(`${own}/`) && target !== 'lib/plugin-api/index.ts')
    .map((target) => `${path} must not import ${target}`);
}

/** Paths that exist on somebody's machine only. */
export function findMachinePaths({ path, text }: Source): string[] {
  const everybody = /(?<![\w.~-])\/(?:home|Users)\/[a-z]\w+|(?<![\w.~})-])\/(?:root|work)\/\w+|[A-Z]:\\Users\\/;
  const here = [process.cwd(), homedir()].filter((entry) => entry.length > 5 && text.includes(`${entry}/`));
  const found = everybody.exec(text)?.[0] ?? here[0];
  return found === undefined ? [] : [`${path} names a path of one machine: ${found}`];
}
