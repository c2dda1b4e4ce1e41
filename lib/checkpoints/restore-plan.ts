import type { IgnoreLevel } from './ignore-levels.ts';
import { isOwnPath, type OwnRules } from './own-rules.ts';
import { baseName, parentPath, type RawPath } from './raw-path.ts';
import type { Snapshot, SnapshotFile } from './snapshot-node.ts';

/** What has to happen so that the workspace becomes the target. Only paths of the current snapshot are ever removed. */
export interface RestorePlan {
  /** Files and links, in any order. */
  remove: RawPath[];
  /** Deepest first; each only if it is empty then. */
  removeDirectories: RawPath[];
  /** Parents first. */
  makeDirectories: { path: RawPath; mode: number }[];
  /** New and differing files, by path. `before` is the captured file in that place. */
  write: { path: RawPath; file: SnapshotFile; before: SnapshotFile | undefined }[];
  /** Files and directories whose content is right and whose permission bits are not. */
  changeMode: { path: RawPath; mode: number }[];
}

export interface PlanOptions {
  /** The rules that hold in the target: what they ignore is not removed. */
  ignoredThen(path: RawPath, isDirectory: boolean): boolean;
  own: OwnRules;
}

/** Compares by maps alone; nothing is read. Equal files do not appear, so they keep their times and inodes. */
export function planRestore(current: Snapshot, target: Snapshot, { ignoredThen, own }: PlanOptions): RestorePlan {
  const inTheWay = (path: RawPath): boolean => target.files.has(path) || target.directories.has(path);
  const mine = (path: RawPath): boolean => isOwnPath(own, path);
  /** They were there, with a content that nobody has. */
  const tooLargeThen = new Set(target.skipped);
  const mustGo = (path: RawPath): boolean => inTheWay(path) || blocksAnAncestor(path, target);
  const plan: RestorePlan = { remove: [], removeDirectories: [], makeDirectories: [], write: [], changeMode: [] };

  for (const [path] of current.files)
    if (!target.files.has(path) && !tooLargeThen.has(path) && (mustGo(path) || !ignoredThen(path, false)))
      plan.remove.push(path);
  for (const [path] of current.directories)
    if (!target.directories.has(path) && (target.files.has(path) || !ignoredThen(path, true)))
      plan.removeDirectories.push(path);
  plan.removeDirectories.sort().reverse();

  for (const [path, mode] of target.directories) {
    if (path === '' || mine(path)) continue;
    const before = current.directories.get(path);
    if (before === undefined) plan.makeDirectories.push({ path, mode });
    else if (before !== mode) plan.changeMode.push({ path, mode });
  }
  plan.makeDirectories.sort((a, b) => (a.path < b.path ? -1 : 1));

  for (const [path, file] of target.files) {
    if (mine(path)) continue;
    const before = current.files.get(path);
    if (before?.oid !== file.oid || before.kind !== file.kind) plan.write.push({ path, file, before });
    else if (file.kind === 'file' && before.mode !== file.mode) plan.changeMode.push({ path, mode: file.mode });
  }
  plan.write.sort((a, b) => (a.path < b.path ? -1 : 1));
  return plan;
}

/** True when the workspace is what it would become. */
export function isEmptyPlan(plan: RestorePlan): boolean {
  return Object.values(plan).every((steps: readonly unknown[]) => steps.length === 0);
}

/** True when the target has a file where this path has a parent directory: the path must go, ignored then or not. */
function blocksAnAncestor(path: RawPath, target: Snapshot): boolean {
  for (let at = parentPath(path); at !== ''; at = parentPath(at)) if (target.files.has(at)) return true;
  return false;
}

/**
 * The ignore rules of a snapshot, from its own ignore files and those that were hidden. `textOf` returns the content of a stored blob, or undefined for
 * one that the walk would not have read either.
 */
export async function rulesOfSnapshot(
  target: Snapshot,
  base: IgnoreLevel,
  textOf: (oid: string) => Promise<string | undefined>,
): Promise<PlanOptions['ignoredThen']> {
  const texts = new Map<RawPath, string | undefined>(target.hiddenRules);
  for (const [path, { kind, oid }] of target.files)
    if (kind === 'file' && baseName(path) === '.gitignore') texts.set(parentPath(path), await textOf(oid));
  const levels = new Map<RawPath, IgnoreLevel>();
  const ignored = new Map<RawPath, boolean>();

  const levelOf = (directory: RawPath): IgnoreLevel => {
    const known = levels.get(directory);
    if (known) return known;
    const above = directory === '' ? base : levelOf(parentPath(directory));
    const text = texts.get(directory);
    const level = text === undefined ? above : above.with(directory, text);
    levels.set(directory, level);
    return level;
  };
  const directoryIgnored = (path: RawPath): boolean => {
    if (path === '') return false;
    const known =
      ignored.get(path) ?? (directoryIgnored(parentPath(path)) || levelOf(parentPath(path)).ignores(path, true));
    ignored.set(path, known);
    return known;
  };
  return (path, isDirectory) =>
    isDirectory
      ? directoryIgnored(path)
      : directoryIgnored(parentPath(path)) || levelOf(parentPath(path)).ignores(path, false);
}
