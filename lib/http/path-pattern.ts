import { ServiceError } from '../wire/errors.ts';
import { limits } from '../wire/limits.ts';

/**
 * Matches a path against a pattern in contract notation: `:name` takes one segment, a trailing `*` the rest.
 * Gives the parameters as they stand in the path, not decoded; undefined when it does not match.
 */
export function matchPath(pattern: string, pathname: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = trimSlash(pathname).split('/');
  const open = wanted.at(-1) === '*';
  if (open ? given.length < wanted.length - 1 : given.length !== wanted.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const actual = given[index] ?? '';
    if (part.startsWith(':')) {
      if (actual === '') return undefined;
      params[part.slice(1)] = actual;
    } else if (part !== actual && !(open && index === wanted.length - 1)) return undefined;
  }
  return params;
}

/** Two patterns with the same shape match the same paths, whatever their parameters are called. */
export function shapeOf(pattern: string): string {
  return trimSlash(pattern).replace(/:[^/]+/g, ':');
}

/** Orders patterns so that literal segments come before parameters and parameters before the rest. */
export function bySpecificity(a: string, b: string): number {
  const rank = (pattern: string) => shapeOf(pattern).replace(/\*/g, '\uffff').replace(/:/g, '\ufffe');
  const [left, right] = [rank(a), rank(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Percent-decodes parameters. Throws `bad_path` for what can't be a path: bad encoding, NUL, over 4,096 characters. */
export function decodeParams(raw: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(raw)) if (value !== undefined) params[name] = decodeSegment(value);
  return params;
}

/** Throws `bad_path` when an escape is broken. */
export function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ServiceError('bad_path', 'The path is not well formed: check its percent encoding.');
  }
}

function decodeSegment(value: string): string {
  const text = decodePath(value);
  if (!text.includes('\0') && text.length <= limits.pathChars) return text;
  throw new ServiceError('bad_path', `The path has a NUL, or more than ${limits.pathChars} characters.`);
}

function trimSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
