/** Contract: Checkpoint record. `files` is the number of captured files. */
export interface Checkpoint {
  id: string;
  label: string;
  sha: string;
  messageId?: string;
  createdAt: string;
  files: number;
  sessionId: string;
  /** Files that were too large to be captured; a restore leaves them alone. */
  skipped?: number;
}

/** Contract: CheckpointListResponse. Newest first. `reason` also says why the last snapshot was refused. */
export interface CheckpointList {
  enabled: boolean;
  reason?: string;
  checkpoints: Checkpoint[];
  /** What the snapshots of this workspace take on disk, in bytes, those of other sessions too. */
  usage?: { bytes: number };
}

/** One file of a comparison. Sizes in bytes: `before` is absent for an added file, `after` for a deleted one. */
export interface FileChange {
  path: string;
  status: 'added' | 'changed' | 'deleted';
  before?: number;
  after?: number;
  /** Unified diff, for text within the limits. */
  patch?: string;
  /** Why there is no patch. */
  omitted?: 'binary' | 'large' | 'limit';
}

/** `changes` are by path and cut at 1,000, the counts are not. */
export interface FileChanges {
  added: number;
  changed: number;
  deleted: number;
  changes: FileChange[];
  truncated: boolean;
}

/** Contract: Restore response. */
export interface Restore {
  restored: Checkpoint;
  /** The state before it; null when no file was touched. */
  safety: Checkpoint | null;
  /** Which files had to be left alone, and why. */
  warning?: string;
}

/** What a restore would do to the files as they are now. */
export interface RestorePreview extends FileChanges {
  checkpoint: Checkpoint;
}

/** The same, with the other sessions of the caller's tenant that work in the same directory and would be affected. */
export interface SharedPreview extends RestorePreview {
  sharedWith: { sessionId: string; running: boolean }[];
}

/** What happened from a checkpoint to another one, or to the files as they are now (`against` null). */
export interface CheckpointDiff extends FileChanges {
  checkpoint: Checkpoint;
  against: Checkpoint | null;
}
