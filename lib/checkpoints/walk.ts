import { type Dirent, fstatSync, lstatSync, readdirSync, rmSync, type Stats } from 'node:fs';
import { systemCode } from '../base/caught.ts';
import type { IgnoreLevel } from './ignore-levels.ts';
import type { OpenDirectory } from './open-directory.ts';
import { isOwn, type OwnRules, ownRulesIn } from './own-rules.ts';
import { childPath, type RawPath, toText } from './raw-path.ts';
import { readFileIn } from './read-file-in.ts';
import { CheckpointRefusal, isGone } from './refusal.ts';
import type { DirectoryNode, FileNode } from './snapshot-node.ts';

export interface WalkOptions {
  rules: IgnoreLevel;
  own: OwnRules;
  maxFiles: number;
  /** The last walk: what has the same stat data keeps its object. */
  before: DirectoryNode | undefined;
  progress(): void;
  /** How long ignore rules may be asked in all. Default 10 s: hundreds of rules take a tenth of a second for 20,000 files. */
  mostIgnoreMs?: number;
}

export interface Walked {
  root: DirectoryNode;
  files: number;
  skipped: RawPath[];
  hiddenRules: [RawPath, string][];
}

/** Larger files are not captured and, like ignored ones, never touched by a restore: 64 MiB. */
export const largestFile = 64 * 1024 * 1024;
/** Stat data of a file changed less than this long ago proves nothing: clocks of file systems are coarse. */
const youngMs = 1_500;
const deepest = 200;
/** Rules of larger ignore files do not count. */
export const largestIgnoreFile = 1024 * 1024;
/** So much of ignore files that ignore themselves is kept with a snapshot; nearly all of them are a star. */
const mostHiddenChars = 256 * 1024;

/** What a restore writes before it renames it. One that lies around is from a restore that was killed, and is removed. */
const temporaryName = /^\.service-restore-[0-9a-f]{16}\.tmp$/;

/**
 * Looks at everything that a snapshot would hold: names, stat data, no content. Refuses as soon as there are more than
 * `maxFiles`. Ignored directories are not entered, `.git` entries and the service's own files are not seen at all.
 */
export function walk(root: OpenDirectory, options: WalkOptions): Walked {
  const walked: Omit<Walked, 'root'> = { files: 0, skipped: [], hiddenRules: [] };
  const { mostIgnoreMs = 10_000 } = options;
  let hiddenChars = 0;
  let ignoreMs = 0;
  const mostDirectories = options.maxFiles * 4 + 1_000;
  let directories = 0;
  const node = visit(root, {
    path: '',
    depth: 0,
    rules: options.rules,
    own: options.own,
    before: options.before,
    sameRules: false,
  });
  return { root: node, ...walked };

  /** All snapshots wait for this one: what a stranger's rules cost is refused before others notice. */
  function isIgnored(rules: IgnoreLevel, path: RawPath, kind: 'file' | 'link' | 'directory'): boolean {
    const began = performance.now();
    const ignored = rules.ignores(path, kind === 'directory');
    ignoreMs += performance.now() - began;
    if (ignoreMs > mostIgnoreMs)
      throw new CheckpointRefusal(
        `The ignore files of the workspace take more than ${mostIgnoreMs / 1_000} seconds to apply. Their rules need fewer wildcards.`,
      );
    return ignored;
  }

  function visit(directory: OpenDirectory, place: Place): DirectoryNode {
    if (place.depth > deepest)
      throw new CheckpointRefusal(
        `The workspace is nested more than ${deepest} directories deep at ${toText(place.path).slice(0, 200)}.`,
      );
    if (++directories > mostDirectories)
      throw new CheckpointRefusal(`The workspace has more than ${mostDirectories} directories.`);
    options.progress();
    const listed = readdirSync(directory.at(), { withFileTypes: true, encoding: 'latin1' });
    const text = ignoreTextIn(directory, place.path, listed);
    const rules = text === undefined ? place.rules : place.rules.with(place.path, text);
    if (text !== undefined) noteHidden(place.path, text, rules);
    const { before } = place;
    const sameRules = before?.rules === rules.key;
    const node: DirectoryNode = {
      kind: 'directory',
      mode: fstatSync(directory.fd).mode & 0o777,
      rules: rules.key,
      entries: new Map(),
      pending: 0,
      oid: '',
    };
    const inside = { ...place, rules, sameRules };
    for (const entry of listed) add(directory, entry, node, inside);
    if (before && isUnchanged(before, node)) node.oid = before.oid;
    return node;
  }

  function noteHidden(path: RawPath, text: string, rules: IgnoreLevel): void {
    if (hiddenChars + text.length > mostHiddenChars || !rules.ignores(childPath(path, '.gitignore'), false)) return;
    hiddenChars += text.length;
    walked.hiddenRules.push([path, text]);
  }

  function add(directory: OpenDirectory, entry: Dirent, node: DirectoryNode, place: Place): void {
    const { name } = entry;
    if (/^\.git$/i.test(name)) return;
    if (temporaryName.test(name) && !entry.isDirectory()) {
      rmSync(directory.at(name), { force: true });
      return;
    }
    const own = ownRulesIn(place.own, name);
    if (isOwn(own)) return;
    const path = childPath(place.path, name);
    const known = place.before?.entries.get(name);
    let kind = kindOf(entry);
    const stats = kind === 'directory' ? undefined : statsOf(directory, name, path);
    if (kind === 'unknown' && stats) kind = kindOf(stats);
    if (kind === 'unknown') return;
    if (!(place.sameRules && known?.kind === kind) && isIgnored(place.rules, path, kind)) return;
    if (kind === 'directory') {
      const below = openChild(directory, name, path);
      if (!below) return;
      try {
        const child = visit(below, {
          ...place,
          path,
          own,
          depth: place.depth + 1,
          before: known?.kind === 'directory' ? known : undefined,
        });
        node.entries.set(name, child);
        node.pending += child.pending;
      } finally {
        below.close();
      }
      return;
    }
    if (!stats || kindOf(stats) !== kind) return;
    const isLarge = stats.size > largestFile;
    if (isLarge) walked.skipped.push(path);
    else walked.files += 1;
    const all = walked.files + walked.skipped.length;
    if (all > options.maxFiles)
      throw new CheckpointRefusal(
        `The workspace has more than ${options.maxFiles} files (checkpoints.maxFiles). Ignore what needs no snapshot, or raise the limit.`,
      );
    options.progress();
    if (isLarge) return;
    const file = fileNode(kind, stats, known?.kind === 'directory' ? undefined : known);
    if (file.oid === '') node.pending += 1;
    node.entries.set(name, file);
  }
}

interface Place {
  path: RawPath;
  depth: number;
  rules: IgnoreLevel;
  own: OwnRules;
  before: DirectoryNode | undefined;
  /** The rules are those of the last walk, so what was captured then is not ignored now. */
  sameRules: boolean;
}

/** True when the directory would become the same tree again. */
function isUnchanged(before: DirectoryNode, node: DirectoryNode): boolean {
  if (before.entries.size !== node.entries.size) return false;
  for (const [name, { oid, kind }] of node.entries) {
    const known = before.entries.get(name);
    if (oid === '' || known?.oid !== oid || known.kind !== kind) return false;
  }
  return true;
}

/** The node of a file, with its object when the stat data say that it is the file of before. */
export function fileNode(kind: 'file' | 'link', stats: Stats, known?: FileNode): FileNode {
  const { size, mtimeMs, ctimeMs, ino } = stats;
  const mode = stats.mode & 0o777;
  const same = known?.trusted && isSameFile(known, stats);
  const trusted = Date.now() - Math.max(mtimeMs, ctimeMs) > youngMs;
  return { kind, mode, size, mtimeMs, ctimeMs, ino, oid: same ? known.oid : '', trusted };
}

/** True when the stat data have not moved since the node was made. */
export function isSameFile(node: FileNode, stats: Stats): boolean {
  return (
    node.mtimeMs === stats.mtimeMs &&
    node.ctimeMs === stats.ctimeMs &&
    node.size === stats.size &&
    node.ino === stats.ino &&
    node.mode === (stats.mode & 0o777) &&
    node.kind === kindOf(stats)
  );
}

function kindOf(entry: Dirent | Stats): 'file' | 'link' | 'directory' | 'unknown' {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : 'unknown';
}

/** Undefined when the entry went away since it was listed. Content is read through the descriptor, never by this path. */
function statsOf(directory: OpenDirectory, name: RawPath, path: RawPath): Stats | undefined {
  try {
    return lstatSync(directory.look(name), { throwIfNoEntry: false });
  } catch (error) {
    if (isGone(error)) return undefined;
    throw new CheckpointRefusal(`The file ${toText(path)} can't be looked at (${systemCode(error)}).`);
  }
}

function openChild(directory: OpenDirectory, name: RawPath, path: RawPath): OpenDirectory | undefined {
  try {
    return directory.open(name);
  } catch (error) {
    // Gone, or replaced by something else, since it was listed.
    if (isGone(error)) return undefined;
    throw new CheckpointRefusal(`The directory ${toText(path)} can't be read (${systemCode(error)}).`);
  }
}

/** Undefined without one, and for what is no plain file: git does not follow a link here either. */
function ignoreTextIn(directory: OpenDirectory, path: RawPath, listed: Dirent[]): string | undefined {
  if (!listed.some((entry) => entry.name === '.gitignore' && !entry.isDirectory())) return undefined;
  try {
    return readFileIn(directory, '.gitignore', largestIgnoreFile)?.content.toString('utf8');
  } catch (error) {
    if (isGone(error)) return undefined;
    throw new CheckpointRefusal(
      `The ignore file ${toText(childPath(path, '.gitignore'))} can't be read (${systemCode(error)}).`,
    );
  }
}
