import type { Checkpoint, CheckpointDiff, CheckpointList, RestorePreview } from '../wire/checkpoint.ts';

/** The session on whose behalf a checkpoint is taken or restored. */
export interface CheckpointSession {
  readonly id: string;
  readonly tenantId: string;
  readonly workspace: string;
}

/** A checkpoint that will be taken. */
export interface ExpectedCheckpoint {
  readonly taken: Promise<Checkpoint>;
  /** Has it taken now. */
  hurry(): void;
}

/** What a restore came to. `safety` is null when no file was touched; `warning` says why files were left alone. */
export interface Restored {
  restored: Checkpoint;
  safety: Checkpoint | null;
  warning: string | null;
}

/**
 * Snapshots of workspaces (contract: Checkpoints). Operations run one after another, so those on one directory never
 * overlap. Everything but `list`, `ofMessage`, `forget`, `forgetUnknown`, `tidy` and `close` throws ServiceError
 * `checkpoints_unavailable` with the reason; whatever names a checkpoint throws `not_found` for one that is not the
 * session's own.
 */
export interface Checkpointer {
  /** Only the session's own records, newest first; waits for a capture in flight. */
  list(session: CheckpointSession): Promise<CheckpointList>;
  /** The label is cut to 200 characters. */
  capture(session: CheckpointSession, label: string): Promise<Checkpoint>;
  /**
   * The checkpoint before a message: taken within some 20 ms, with others of the same workspace, or as soon as anything
   * waits for it, so that messages cost the machine little while their models are asked.
   */
  captureBefore(session: CheckpointSession, message: { id: string; label: string }): ExpectedCheckpoint;
  /** Takes the safety snapshot, then resets. */
  restore(session: CheckpointSession, checkpointId: string): Promise<Restored>;
  /** What `restore` would do now; touches no file. */
  preview(session: CheckpointSession, checkpointId: string): Promise<RestorePreview>;
  /** What changed from the checkpoint to another one of the session, or to the files as they are now. */
  diff(session: CheckpointSession, checkpointId: string, against?: string): Promise<CheckpointDiff>;
  /** The record linked to a user message, if one was taken; waits for a capture in flight. */
  ofMessage(session: CheckpointSession, messageId: string): Promise<Checkpoint | undefined>;
  /** Forgets the records and commits of a deleted session; what only they held is collected when the service is idle. */
  forget(session: CheckpointSession): Promise<void>;
  /** Forgets all sessions that are not known: those whose deletion a crash cut off before `forget`. For an idle moment. */
  forgetUnknown(isKnown: (tenantId: string, sessionId: string) => boolean): Promise<void>;
  /** Drops what a crash left half-written, also where nobody works any more. For an idle moment. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}
