import { systemCode } from '../base/caught.ts';

/** Why an operation was not done, in words for the person who asked. Recognised by `name`; it crosses the thread as text. */
export class CheckpointRefusal extends Error {
  override readonly name = 'CheckpointRefusal';
  readonly unknown: boolean;

  /** `unknown`: the checkpoint that was asked for does not exist. */
  constructor(message: string, { unknown = false } = {}) {
    super(message);
    this.unknown = unknown;
  }
}

/** True for a refusal, also one of another copy of this module. */
export function isRefusal(error: unknown): error is CheckpointRefusal {
  return error instanceof Error && error.name === 'CheckpointRefusal';
}

/** True when what was just listed is not there any more, or is something else by now. */
export function isGone(error: unknown): boolean {
  // EINVAL: a link that became something else; ENXIO: a file that became a pipe.
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'ENXIO'].includes(systemCode(error) ?? '');
}
