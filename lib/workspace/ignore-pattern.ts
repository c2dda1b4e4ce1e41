import { compileGlob } from './glob.ts';

/** A line of an ignore file (gitignore(5)). */
export interface IgnorePattern {
  /** Takes back what a line before it ignores. */
  negated: boolean;
  directoriesOnly: boolean;
  /** Asked with the last name of a path; otherwise with the path relative to the ignore file. */
  byName: boolean;
  /** All that it matches, where it has no wildcard. */
  literal: string | undefined;
  matches(text: string): boolean;
  /** What a question costs at most, per sign of the text; 0 for what is looked up. */
  cost: number;
}

/** Undefined for empty lines, comments, and what never matches. */
export function parseIgnoreLine(line: string): IgnorePattern | undefined {
  if (line.startsWith('#')) return undefined;
  let text = withoutTrailingSpaces(line);
  const negated = text.startsWith('!');
  if (negated) text = text.slice(1);
  const directoriesOnly = text.endsWith('/');
  if (directoriesOnly) text = text.slice(0, -1);
  const byName = !text.includes('/');
  if (text.startsWith('/')) text = text.slice(1);
  if (text === '') return undefined;
  const matcher = byName ? nameMatcher(text) : pathMatcher(text);
  return matcher && { negated, directoriesOnly, byName, ...matcher };
}

type Matcher = Pick<IgnorePattern, 'literal' | 'matches' | 'cost'>;

const wildcard = /[*?[\\]/;

function nameMatcher(text: string): Matcher | undefined {
  if (!wildcard.test(text)) return literalMatcher(text);
  const ending = text.slice(1);
  if (text.startsWith('*') && !wildcard.test(ending))
    return { literal: undefined, matches: (name) => name.endsWith(ending), cost: 1 };
  const glob = compileGlob(text, { paths: false });
  return glob && { literal: undefined, ...glob };
}

/** As in git, the pattern proper begins with its first wildcard: `a**` and a slash mean as much as two stars and a slash there. */
function pathMatcher(text: string): Matcher | undefined {
  const start = text.search(wildcard);
  if (start < 0) return literalMatcher(text);
  const front = text.slice(0, start);
  const glob = compileGlob(text.slice(start), { paths: true });
  if (!glob) return undefined;
  const matches = (path: string): boolean => path.startsWith(front) && glob.matches(path.slice(start));
  return { literal: undefined, matches, cost: glob.cost };
}

function literalMatcher(literal: string): Matcher {
  return { literal, matches: (text) => text === literal, cost: 0 };
}

/** Those behind a backslash stay. */
function withoutTrailingSpaces(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === ' ') continue;
    end = at + 1;
  }
  return line.slice(0, end);
}
