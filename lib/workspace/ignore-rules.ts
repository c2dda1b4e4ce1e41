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

/** Rules of a directory and of everything above it; the last that matches wins, as in git. Letter case counts. */
export interface IgnoreRules {
  /** `path` is relative to the workspace, in normal form. */
  ignores(path: string, isDirectory: boolean): boolean;
  /** With the rules of the .gitignore in `directory` on top. */
  with(directory: string, text: string): IgnoreRules;
}

export function createIgnoreRules(): IgnoreRules {
  return rulesOf(emptyRules().add([...builtInIgnoreRules]), 0);
}

/** Without rules yet. The paths that it is asked for are relative, whatever their names begin with. */
export function emptyRules(): Ignore {
  return ignore({ ignorecase: false, allowRelativePaths: true });
}

function rulesOf(rules: Ignore, spent: number): IgnoreRules {
  return {
    ignores: (path, isDirectory) => rules.ignores(isDirectory ? `${path}/` : path),
    with(directory, text) {
      const affordable = affordableRules(rulesOfFile(directory, text), spent);
      return rulesOf(emptyRules().add(rules).add(affordable.rules), affordable.spent);
    },
  };
}

/** What the `**` of a rule cost, by their number; one with more is not read. */
const costs: readonly number[] = [0, 1, 20];
const mostCost = 2_000;

/**
 * The rules that can be asked without holding the process. Ignore files come from strangers, and the library tries every way
 * to spread the `**` of a rule over a path: three take minutes on a deep one. Rules with more than two, and those that go
 * beyond what all levels together may cost, are left out. `spent` is what the levels above have cost.
 */
export function affordableRules(rules: readonly string[], spent = 0): { rules: string[]; spent: number } {
  let total = spent;
  const kept = rules.filter((rule) => {
    const cost = costOf(rule);
    if (total + cost > mostCost) return false;
    total += cost;
    return true;
  });
  return { rules: kept, spent: total };
}

/** `**` in front of a mere name and at the end cost nothing. */
function costOf(rule: string): number {
  const inner = rule.replace(/^!?\/?(?:\*\*\/)+(?=[^/]*\/?$)/, '').replace(/\/\*\*\/?\s*$/, '');
  return costs[inner.split('**').length - 1] ?? Number.POSITIVE_INFINITY;
}

/**
 * The rules of an ignore file in `directory` ('' or '.' is the workspace), each as the ignore file of the workspace would
 * have to say it. One list for all levels, because a list per level could not take back what another level ignores.
 */
export function rulesOfFile(directory: string, text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  return directory === '' || directory === '.' ? lines : lines.map((rule) => anchored(directory, rule));
}

function anchored(directory: string, rule: string): string {
  if (rule.trim() === '' || rule.startsWith('#')) return '';
  const negated = rule.startsWith('!');
  const pattern = rule.slice(negated ? 1 : 0);
  const bound = pattern.replace(/\/\s*$/, '').includes('/');
  const base = directory.replace(/[\\*?[\]!# ]/g, '\\$&');
  return `${negated ? '!' : ''}/${base}/${bound ? '' : '**/'}${pattern.replace(/^\//, '')}`;
}
