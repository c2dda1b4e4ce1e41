import { resolveLinks, segmentsOf } from '../base/real-segments.ts';

/** Says whether an absolute real path is one of the service's own files, or lies below one. */
export type IsOwnPath = (realPath: string) => boolean;

/**
 * The files of the store, which must stay invisible wherever a workspace lies. `patterns` are absolute paths in which a
 * segment `*` stands for any one name. Links on the way to them are resolved here, once:
 * blocking, so only at start-up. Letter case is ignored, because some file systems ignore it too. The process file
 * system is always included: it shows the environment and the memory of this very process.
 */
export function createOwnPaths(patterns: readonly string[]): IsOwnPath {
  const rules = ['/proc', ...patterns].map((pattern) => segmentsOf(resolveLinks(pattern)));
  return (realPath) => {
    const path = segmentsOf(realPath.replace(/ \(deleted\)$/, ''));
    return rules.some(
      (rule) => rule.length <= path.length && rule.every((part, at) => part === '*' || part === path[at]),
    );
  };
}
