import { decodePath } from './path-pattern.ts';

/**
 * The `path` of a query, decoded strictly: `URLSearchParams` would turn a broken escape into some other path.
 * Undefined when it is not there. Throws ServiceError `bad_path`.
 */
export function queryPath(url: URL): string | undefined {
  const pairs = url.search.slice(1).split('&');
  const raw = pairs.find((pair) => pair === 'path' || pair.startsWith('path='))?.slice('path='.length);
  if (raw === undefined) return undefined;
  return decodePath(raw.replaceAll('+', ' '));
}
