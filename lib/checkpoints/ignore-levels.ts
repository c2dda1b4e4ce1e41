import { createHash } from 'node:crypto';
import ignore, { type Ignore } from 'ignore';
import { affordableRules, builtInIgnoreRules } from '../workspace/ignore-rules.ts';
import { type RawPath, toText } from './raw-path.ts';

/**
 * The ignore rules that hold in one directory: the built-in list, then the `.gitignore` of every directory from the
 * workspace down, then `checkpoints.exclude`; the last rule that matches wins (contract: Checkpoints). Letter case counts.
 */
export interface IgnoreLevel {
  /** Equal keys mean equal rules. */
  readonly key: string;
  ignores(path: RawPath, isDirectory: boolean): boolean;
  /** With the rules of the ignore file in `directory` added. */
  with(directory: RawPath, text: string): IgnoreLevel;
}

export function createIgnoreLevel(exclude: readonly string[]): IgnoreLevel {
  return level([...builtInIgnoreRules], exclude);
}

/** One list for all levels: with a list per level, a lower one could not take back a directory that an upper one ignores. */
function level(rules: readonly string[], exclude: readonly string[]): IgnoreLevel {
  const key = createHash('sha1')
    .update(JSON.stringify([rules, exclude]))
    .digest('hex');
  // Compiled at the first question: a directory whose entries are all known asks none.
  let compiled: Ignore | undefined;
  return {
    key,
    ignores(path, isDirectory) {
      compiled ??= ignore({ ignorecase: false, allowRelativePaths: true }).add([
        ...affordableRules(rules).rules,
        ...exclude,
      ]);
      return compiled.ignores(isDirectory ? `${toText(path)}/` : toText(path));
    },
    with(directory, text) {
      const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
      return level([...rules, ...lines.map((line) => anchored(toText(directory), line))], exclude);
    },
  };
}

/** A rule of a directory as the ignore file of the workspace itself would have to say it. */
function anchored(directory: string, rule: string): string {
  if (directory === '' || rule.trim() === '' || rule.startsWith('#')) return rule;
  const negated = rule.startsWith('!');
  const pattern = rule.slice(negated ? 1 : 0);
  const bound = pattern.replace(/\/\s*$/, '').includes('/');
  const base = directory.replace(/[\\*?[\]!# ]/g, '\\$&');
  return `${negated ? '!' : ''}/${base}/${bound ? '' : '**/'}${pattern.replace(/^\//, '')}`;
}
