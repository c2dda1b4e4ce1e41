import type { RawPath } from './raw-path.ts';

/** A captured file or link: where its content is, and the stat data by which the next walk knows it again. */
export interface FileNode {
  readonly kind: 'file' | 'link';
  /** Permission bits. */
  mode: number;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
  ino: number;
  /** Empty until the content is stored. */
  oid: string;
  /** False while the file was so young that a later change could leave the same stat data. */
  trusted: boolean;
}

export interface DirectoryNode {
  readonly kind: 'directory';
  mode: number;
  /** The ignore rules under which its entries were chosen. */
  readonly rules: string;
  readonly entries: Map<RawPath, SnapshotNode>;
  /** Files below whose content is not stored yet. */
  pending: number;
  /** Its git tree; empty when nothing below is captured. */
  oid: string;
}

export type SnapshotNode = FileNode | DirectoryNode;

/** A file of a snapshot. `node` is there when the snapshot is of the workspace as it is now. */
export interface SnapshotFile {
  kind: 'file' | 'link';
  mode: number;
  oid: string;
  node?: FileNode;
}

/** A snapshot by path. The workspace itself is the directory ''. */
export interface Snapshot {
  files: Map<RawPath, SnapshotFile>;
  /** Permission bits by path. */
  directories: Map<RawPath, number>;
  /** Files too large to be captured. */
  skipped: RawPath[];
  /** Ignore files that ignore themselves, by directory: they are not among the files, and their rules hold all the same. */
  hiddenRules: [RawPath, string][];
}
