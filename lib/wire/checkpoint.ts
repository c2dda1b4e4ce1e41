/** Contract: Checkpoint record. `files` is the number of captured files. */
export interface Checkpoint {
  id: string;
  label: string;
  sha: string;
  messageId?: string;
  createdAt: string;
  files: number;
  sessionId: string;
}

/** Contract: CheckpointListResponse. */
export interface CheckpointList {
  enabled: boolean;
  reason?: string;
  checkpoints: Checkpoint[];
}
