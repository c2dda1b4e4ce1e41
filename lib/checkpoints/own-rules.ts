import { resolveLinks, segmentsOf } from '../base/real-segments.ts';
import { type RawPath, toText } from './raw-path.ts';

/**
 * The service's own files below one directory, as paths that are still to go: each is a list of names, `*` for any.
 * Walking down narrows them, so that the usual directory, which has none below it, costs nothing.
 */
export type OwnRules = readonly (readonly string[])[];

/** The rules below `root`, a real path. `patterns` are absolute. Letter case is ignored, as some file systems do. */
export function ownRulesBelow(root: string, patterns: readonly string[]): OwnRules {
  const above = segmentsOf(root);
  return patterns
    .map((pattern) => segmentsOf(resolveLinks(pattern)))
    .filter((rule) => above.every((segment, at) => rule[at] === undefined || rule[at] === '*' || rule[at] === segment))
    .map((rule) => rule.slice(above.length));
}

/** True when the directory that these rules belong to is itself one of the service's own. */
export function isOwn(rules: OwnRules): boolean {
  return rules.some((rule) => rule.length === 0);
}

/** The rules one level down. */
export function ownRulesIn(rules: OwnRules, name: RawPath): OwnRules {
  if (rules.length === 0) return rules;
  const [segment] = segmentsOf(toText(name));
  return rules.filter(([first]) => first === '*' || first === segment).map((rule) => rule.slice(1));
}

/** True when a path relative to the root of the rules is, or lies in, one of the service's own. */
export function isOwnPath(rules: OwnRules, path: RawPath): boolean {
  let left = rules;
  for (const name of path.split('/')) {
    if (left.length === 0) return false;
    left = ownRulesIn(left, name);
    if (isOwn(left)) return true;
  }
  return false;
}
