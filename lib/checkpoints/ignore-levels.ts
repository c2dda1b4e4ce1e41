import { createHash } from 'node:crypto';
import type { Ignore } from 'ignore';
import { affordableRules, builtInIgnoreRules, emptyRules, rulesOfFile } from '../workspace/ignore-rules.ts';
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

function level(rules: readonly string[], exclude: readonly string[]): IgnoreLevel {
  const key = createHash('sha1')
    .update(JSON.stringify([rules, exclude]))
    .digest('hex');
  // Compiled at the first question: a directory whose entries are all known asks none.
  let compiled: Ignore | undefined;
  return {
    key,
    ignores(path, isDirectory) {
      compiled ??= emptyRules().add([...affordableRules(rules).rules, ...exclude]);
      return compiled.ignores(isDirectory ? `${toText(path)}/` : toText(path));
    },
    with(directory, text) {
      return level([...rules, ...rulesOfFile(toText(directory), text)], exclude);
    },
  };
}
