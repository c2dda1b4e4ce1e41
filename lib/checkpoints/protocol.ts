import type { Checkpoint, CheckpointDiff, RestorePreview } from '../wire/checkpoint.ts';
import type { Restored } from './checkpointer.ts';
import type { NewCheckpoint } from './repository.ts';

/** What never changes while a worker lives. */
export interface WorkerSettings {
  maxFiles: number;
  exclude: readonly string[];
  /** Absolute paths of the service's own files; a segment `*` is any name. */
  ownPaths: readonly string[];
  /** False: no fsync. */
  durable: boolean;
}

/** What a worker is started with. */
export interface WorkerStart extends WorkerSettings {
  /** Shared with whoever started it. When its one number is not 0, the operation in hand ends at its next step. */
  stop: Int32Array;
}

/** The workspace that an operation is about. */
export interface Target {
  /** The repository's directory. */
  repository: string;
  /** Real path. */
  workspace: string;
  tenantId: string;
}

export interface Owned {
  sessionId: string;
  checkpointId: string;
}

/** The operations of the worker: what goes in and what comes out. */
export interface Operations {
  /** One walk for all of them. */
  capture(target: Target, checkpoints: readonly NewCheckpoint[]): Promise<Checkpoint[]>;
  restore(target: Target, request: Owned & { safety: { id: string; at: number } }): Promise<Restored>;
  preview(target: Target, request: Owned): Promise<RestorePreview>;
  diff(target: Target, request: Owned & { against?: string }): Promise<CheckpointDiff>;
  forget(target: Target, sessionId: string): Promise<{ sweep: boolean }>;
  /** Drops what a crash left half-written. */
  tidy(target: Target): Promise<void>;
  /** Collects what nothing refers to any more. */
  sweep(target: Target): Promise<void>;
}

export type OperationName = keyof Operations;
export type ArgumentOf<Name extends OperationName> = Parameters<Operations[Name]>[1];
export type ResultOf<Name extends OperationName> = Awaited<ReturnType<Operations[Name]>>;

export interface WorkerRequest {
  id: number;
  name: OperationName;
  target: Target;
  argument: unknown;
}

/** The last thing a worker is told: it writes what it has put off, and ends. */
export const closeRequest = 'close';

export type WorkerReply =
  | { id: number; type: 'progress' }
  | { id: number; type: 'done'; value: unknown }
  | { id: number; type: 'refused'; reason: string; unknown: boolean }
  | { id: number; type: 'failed'; reason: string; detail: string }
  /** Something that nobody waited for went wrong. */
  | { id: 0; type: 'warning'; detail: string };
