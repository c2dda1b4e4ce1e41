import { createIgnoreRules, type IgnoreRules } from '../workspace/ignore-rules.ts';
import { type RawPath, toText } from './raw-path.ts';

/**
 * The ignore rules that hold in one directory: the built-in list, then the `.gitignore` of every directory from the
 * workspace down, then `checkpoints.exclude`; the last rule that matches wins (contract: Checkpoints). Letter case counts.
 */
export interface IgnoreLevel {
  /** Equal keys mean equal rules. */
  readonly key: string;
  /** Below an ignored directory nothing needs to be asked: it is ignored. */
  ignores(path: RawPath, isDirectory: boolean): boolean;
  /** With the rules of the ignore file in `directory` added. */
  with(directory: RawPath, text: string): IgnoreLevel;
}

/** What holds in the workspace itself, before its own ignore file is added. `exclude`: `checkpoints.exclude`. */
export function createIgnoreLevel(exclude: readonly string[]): IgnoreLevel {
  return level(createIgnoreRules(exclude));
}

function level(rules: IgnoreRules): IgnoreLevel {
  return {
    key: rules.key,
    ignores: (path, isDirectory) => rules.ignores(toText(path), isDirectory),
    with: (directory, text) => level(rules.with(toText(directory), text)),
  };
}
