import { createHash } from 'node:crypto';
import { type IgnorePattern, parseIgnoreLine } from './ignore-pattern.ts';

/**
 * What is nobody's source: dependencies, build output, caches, virtual environments, logs, files of the operating
 * system. In the notation of .gitignore; a .gitignore of the workspace can take any of it back.
 */
const builtInIgnoreRules: readonly string[] = [
  ...['.git', '.hg', '.svn', 'node_modules/', 'bower_components/', 'jspm_packages/', '.pnpm-store/', '.yarn/cache/'],
  ...['dist/', 'build/', 'out/', 'target/', '.next/', '.nuxt/', '.svelte-kit/', '.output/', 'coverage/'],
  ...['.cache/', '.parcel-cache/', '.turbo/', '.nyc_output/', '.gradle/', '.terraform/', 'DerivedData/'],
  ...['.venv/', 'venv/', '.virtualenv/', '__pycache__/', '*.pyc', '.pytest_cache/', '.mypy_cache/', '.ruff_cache/'],
  ...['.tox/', '*.egg-info/', '*.log', '.DS_Store', 'Thumbs.db', 'desktop.ini'],
];

/** Rules of a directory and of everything above it; the last that matches wins, as in git. Letter case counts. */
export interface IgnoreRules {
  /** Equal keys mean equal rules. */
  readonly key: string;
  /**
   * `path` is relative to the workspace, in normal form; only it is looked at: what is below an ignored directory is ignored,
   * which who walks down knows.
   */
  ignores(path: string, isDirectory: boolean): boolean;
  /** With the rules of the ignore file in `directory` on top; '' is the workspace. Nothing is compiled before the first question. */
  with(directory: string, text: string): IgnoreRules;
}

/** The built-in list, and `last`, which has the last word whatever ignore files say. */
export function createIgnoreRules(last: readonly string[] = []): IgnoreRules {
  const builtIn = compile(builtInIgnoreRules, Number.POSITIVE_INFINITY);
  return rulesOf([{ directory: '', rules: () => builtIn }], {
    last: compile(last, Number.POSITIVE_INFINITY),
    // The built-in list too: what it chose is kept on disk, and a later release may have another.
    key: digest(JSON.stringify([builtInIgnoreRules, last])),
  });
}

interface Level {
  directory: string;
  rules: () => Compiled;
}

/** `levels`: the deepest first. */
function rulesOf(levels: readonly Level[], { last, key }: { last: Compiled; key: string }): IgnoreRules {
  return {
    key,
    ignores(path, isDirectory) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      const decided = verdict(last, { path, name, isDirectory });
      if (decided !== undefined) return decided;
      for (const { directory, rules } of levels) {
        const below = directory === '' ? path : path.slice(directory.length + 1);
        const said = verdict(rules(), { path: below, name, isDirectory });
        if (said !== undefined) return said;
      }
      return false;
    },
    with(directory, text) {
      let compiled: Compiled | undefined;
      const above = levels[0];
      const rules = () => (compiled ??= compile(linesOf(text), above?.rules().left ?? mostCost));
      return rulesOf([{ directory, rules }, ...levels], { last, key: digest(JSON.stringify([key, directory, text])) });
    },
  };
}

type Placed = IgnorePattern & { at: number };

interface Compiled {
  /** By literal: the last rule that says something about a file, and about a directory, of that name or path. */
  names: ReadonlyMap<string, Said>;
  paths: ReadonlyMap<string, Said>;
  /** With wildcards, the last first. */
  globs: readonly Placed[];
  /** What rules further down may cost. */
  left: number;
}

interface Said {
  file?: Placed;
  directory?: Placed;
}

/**
 * What the wildcards of all ignore files that hold in one place may cost together, per sign of a path. Ignore files come from
 * strangers; people's have hundreds. Rules beyond it are left out, rules without wildcards never.
 */
const mostCost = 10_000;

function compile(lines: readonly string[], allowed: number): Compiled {
  const names = new Map<string, Said>();
  const paths = new Map<string, Said>();
  const globs: Placed[] = [];
  let left = allowed;
  for (const [at, line] of lines.entries()) {
    const pattern = parseIgnoreLine(line);
    if (pattern === undefined || pattern.cost > left) continue;
    left -= pattern.cost;
    const placed = { ...pattern, at };
    if (pattern.literal === undefined) globs.push(placed);
    else {
      const table = pattern.byName ? names : paths;
      const said = table.get(pattern.literal) ?? {};
      table.set(
        pattern.literal,
        pattern.directoriesOnly ? { ...said, directory: placed } : { file: placed, directory: placed },
      );
    }
  }
  return { names, paths, globs: globs.reverse(), left: Math.min(left, mostCost) };
}

/** What the last rule that matches says; undefined when none does. */
function verdict(
  { names, paths, globs }: Compiled,
  { path, name, isDirectory }: { path: string; name: string; isDirectory: boolean },
): boolean | undefined {
  const kind = isDirectory ? 'directory' : 'file';
  const [byName, byPath] = [names.get(name)?.[kind], paths.get(path)?.[kind]];
  const literal = (byName?.at ?? -1) > (byPath?.at ?? -1) ? byName : byPath;
  const after = literal?.at ?? -1;
  const applies = (one: Placed) => (isDirectory || !one.directoriesOnly) && one.matches(one.byName ? name : path);
  for (const one of globs) {
    if (one.at < after) break;
    if (applies(one)) return !one.negated;
  }
  return literal && !literal.negated;
}

function linesOf(text: string): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.replace(/\r$/, ''));
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
