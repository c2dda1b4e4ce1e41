import type { Checkpoint, CheckpointList } from '../wire/checkpoint.ts';

/** The session on whose behalf a checkpoint is taken or restored. */
export interface CheckpointSession {
  readonly id: string;
  readonly tenantId: string;
  readonly workspace: string;
}

/** What a restore came to. `safety` is null when no file was touched; `warning` says why files were left alone. */
export interface Restored {
  restored: Checkpoint;
  safety: Checkpoint | null;
  warning: string | null;
}

/** Snapshots of workspaces (contract: Checkpoints). Operations on one directory are serialised. */
export interface Checkpointer {
  /** Only the session's own records; waits for a capture in flight. */
  list(session: CheckpointSession): Promise<CheckpointList>;
  /** Throws ServiceError `checkpoints_unavailable` with the reason. The label is cut to 200 characters. */
  capture(session: CheckpointSession, label: string, messageId?: string): Promise<Checkpoint>;
  /** Takes the safety snapshot, then resets. Throws `not_found` for an unknown id. */
  restore(session: CheckpointSession, checkpointId: string): Promise<Restored>;
  /** The record linked to a user message, if one was taken; waits for a capture in flight. */
  ofMessage(session: CheckpointSession, messageId: string): Promise<Checkpoint | undefined>;
  /** Forgets the records of a deleted session; its objects are collected later. */
  forget(session: CheckpointSession): Promise<void>;
  close(): Promise<void>;
}
