import { readlinkSync } from 'node:fs';
import { systemCode } from '../base/caught.ts';
import { encodeTree, type GitMode, type TreeEntry } from './git-tree.ts';
import type { ObjectBatch } from './object-batch.ts';
import type { OpenDirectory } from './open-directory.ts';
import { childPath, type RawPath, toText } from './raw-path.ts';
import { readFileIn } from './read-file-in.ts';
import { CheckpointRefusal, isGone } from './refusal.ts';
import type { DirectoryNode, FileNode, SnapshotNode } from './snapshot-node.ts';
import { fileNode, largestFile, type Walked, type WalkOptions, walk } from './walk.ts';

export interface Taken extends Walked {
  /** The git tree of the whole workspace. */
  tree: string;
  /** What the new objects take on disk. */
  newBytes: number;
  /** Files whose content had to be read. */
  read: number;
}

/**
 * The workspace as it is now: walks it, reads what changed since the last walk, makes blobs and trees and puts them into
 * `batch`, which is at its end then. Throws CheckpointRefusal with the reason, and then no object was written.
 */
export function takeSnapshot(directory: OpenDirectory, batch: ObjectBatch, options: WalkOptions): Taken {
  const walked = walk(directory, options);
  const { root } = walked;
  const read = root.pending;
  try {
    const gone = fill({ batch, progress: options.progress }, directory, { node: root, path: '' });
    const tree = root.oid === '' ? batch.add('tree', Buffer.alloc(0)) : root.oid;
    return { ...walked, files: walked.files - gone, tree, newBytes: batch.finish(), read };
  } finally {
    batch.abort();
  }
}

interface Filling {
  batch: ObjectBatch;
  progress(): void;
}

/** Reads what is pending below and makes the trees; returns how many files went away meanwhile. */
function fill(
  filling: Filling,
  directory: OpenDirectory,
  { node, path }: { node: DirectoryNode; path: RawPath },
): number {
  let gone = 0;
  for (const [name, child] of node.entries) {
    if (child.kind === 'directory') {
      if (child.pending === 0) makeTree(filling, child);
      else gone += fillChild(filling, directory, { node, name, child, path: childPath(path, name) });
    } else if (child.oid === '') {
      const content = readContent(directory, name, { node: child, path: childPath(path, name) });
      if (content === undefined) {
        node.entries.delete(name);
        gone += 1;
      } else child.oid = filling.batch.add('blob', content);
      filling.progress();
    }
  }
  node.pending = 0;
  node.oid = '';
  makeTree(filling, node);
  return gone;
}

function fillChild(
  filling: Filling,
  directory: OpenDirectory,
  { node, name, child, path }: { node: DirectoryNode; name: RawPath; child: DirectoryNode; path: RawPath },
): number {
  let below: OpenDirectory;
  try {
    below = directory.open(name);
  } catch (error) {
    if (!isGone(error)) throw error;
    node.entries.delete(name);
    return countFiles(child);
  }
  try {
    return fill(filling, below, { node: child, path });
  } finally {
    below.close();
  }
}

/** A directory without pending files whose tree is not known: something in it was deleted, renamed or changed its mode. */
function makeTree(filling: Filling, node: DirectoryNode): void {
  if (node.oid !== '') return;
  const entries: TreeEntry[] = [];
  for (const [name, child] of node.entries) {
    if (child.kind === 'directory') makeTree(filling, child);
    if (child.oid !== '') entries.push({ mode: gitMode(child), name, oid: child.oid });
  }
  if (entries.length > 0) node.oid = filling.batch.add('tree', encodeTree(entries));
}

function gitMode(node: SnapshotNode): GitMode {
  if (node.kind === 'directory') return '40000';
  if (node.kind === 'link') return '120000';
  return node.mode & 0o100 ? '100755' : '100644';
}

/** Undefined when the file went away. Brings the node's stat data up to date with what was read. */
function readContent(
  directory: OpenDirectory,
  name: RawPath,
  { node, path }: { node: FileNode; path: RawPath },
): Buffer | undefined {
  try {
    if (node.kind === 'link') return readlinkSync(directory.at(name), { encoding: 'buffer' });
    return readFile(directory, name, node);
  } catch (error) {
    if (isGone(error)) return undefined;
    throw new CheckpointRefusal(`The file ${toText(path)} can't be read (${systemCode(error) ?? 'unknown error'}).`);
  }
}

function readFile(directory: OpenDirectory, name: RawPath, node: FileNode): Buffer | undefined {
  const read = readFileIn(directory, name, largestFile);
  if (!read) return undefined;
  const { content, stats } = read;
  Object.assign(node, fileNode('file', stats));
  if (content.length !== stats.size) node.trusted = false;
  return content;
}

function countFiles(node: DirectoryNode): number {
  let files = 0;
  for (const child of node.entries.values()) files += child.kind === 'directory' ? countFiles(child) : 1;
  return files;
}
