import ignore, { type Ignore } from 'ignore';

/**
 * What is nobody's source: dependencies, build output, caches, virtual environments, logs, files of the operating
 * system. In the notation of .gitignore; a .gitignore of the workspace can take any of it back.
 */
export const builtInIgnoreRules: readonly string[] = [
  ...['.git', '.hg', '.svn', 'node_modules/', 'bower_components/', 'jspm_packages/', '.pnpm-store/', '.yarn/cache/'],
  ...['dist/', 'build/', 'out/', 'target/', '.next/', '.nuxt/', '.svelte-kit/', '.output/', 'coverage/'],
  ...['.cache/', '.parcel-cache/', '.turbo/', '.nyc_output/', '.gradle/', '.terraform/', 'DerivedData/'],
  ...['.venv/', 'venv/', '.virtualenv/', '__pycache__/', '*.pyc', '.pytest_cache/', '.mypy_cache/', '.ruff_cache/'],
  ...['.tox/', '*.egg-info/', '*.log', '.DS_Store', 'Thumbs.db', 'desktop.ini'],
];

/** Rules of a directory and of everything above it; the last that matches wins, as in git. */
export interface IgnoreRules {
  /** `path` is relative to the workspace, in normal form. */
  ignores(path: string, isDirectory: boolean): boolean;
  /** With the rules of the .gitignore in `directory` on top. */
  with(directory: string, text: string): IgnoreRules;
}

export function createIgnoreRules(): IgnoreRules {
  return rulesOf(ignore().add([...builtInIgnoreRules]));
}

function rulesOf(rules: Ignore): IgnoreRules {
  return {
    ignores: (path, isDirectory) => rules.ignores(isDirectory ? `${path}/` : path),
    with: (directory, text) =>
      rulesOf(
        ignore()
          .add(rules)
          .add(directory === '.' ? text : text.split(/\r?\n/).map((rule) => anchored(directory, rule))),
      ),
  };
}

/**
 * The rule as the workspace's own .gitignore would have to say it. One list for all levels, because a list per level
 * could not take back what another level ignores.
 */
function anchored(directory: string, rule: string): string {
  if (rule.trim() === '' || rule.startsWith('#')) return '';
  const negated = rule.startsWith('!');
  const pattern = rule.slice(negated ? 1 : 0);
  const bound = pattern.slice(0, -1).includes('/');
  const base = directory.replace(/[\\*?[\]!# ]/g, '\\$&');
  return `${negated ? '!' : ''}/${base}/${bound ? '' : '**/'}${pattern.replace(/^\//, '')}`;
}
