import type { App } from '../app.ts';
import type { Restored } from '../checkpoints/checkpointer.ts';
import type { Session } from '../session/session.ts';
import type { Restore, SharedPreview } from '../wire/checkpoint.ts';
import { checkpointOwner } from './checkpoint-owner.ts';
import { refuseWhenBusy, refuseWhenRemoved } from './refuse.ts';

/**
 * Resets the files of the session's workspace to a checkpoint; the transcript stays (contract: Checkpoint restore).
 * No run of the session starts meanwhile. `warning` is there when files had to be left alone. Throws `session_busy`, `not_found`, `checkpoints_unavailable`.
 */
export async function restoreCheckpoint(
  app: Pick<App, 'checkpoints' | 'runs' | 'sessions'>,
  session: Session,
  checkpointId: string,
): Promise<Restore> {
  refuseWhenRemoved(session);
  refuseWhenBusy(session);
  const claim = app.runs.claim(session, { isChange: true });
  try {
    const { warning, ...done } = await app.checkpoints.restore(checkpointOwner(session), checkpointId);
    noticeRestore(app, session, done);
    return { ...done, ...(warning === null ? {} : { warning }) };
  } finally {
    app.runs.release(claim);
  }
}

export async function previewRestore(
  app: Pick<App, 'checkpoints' | 'sessions'>,
  session: Session,
  checkpointId: string,
): Promise<SharedPreview> {
  const preview = await app.checkpoints.preview(checkpointOwner(session), checkpointId);
  const sharedWith = neighbours(app, session)
    .filter((other) => other.tenantId === session.tenantId)
    .map((other) => ({ sessionId: other.id, running: other.activeRunId !== undefined }));
  return { ...preview, sharedWith };
}

/** Tells the sessions that run in the same directory that their files have just changed. */
export function noticeRestore(
  app: Pick<App, 'sessions'>,
  session: Session,
  { safety }: Pick<Restored, 'safety'>,
): void {
  if (safety === null) return;
  const message = 'Another session restored a checkpoint: files of this workspace have changed under this run.';
  for (const other of neighbours(app, session))
    if (other.activeRunId !== undefined) other.publish({ type: 'notice', level: 'warn', message, sessionId: other.id });
}

/** Other sessions on the same directory. O(sessions), for operations of people only. */
function neighbours(app: Pick<App, 'sessions'>, session: Session): Session[] {
  const { workspace } = session.record;
  return [...app.sessions.all()].filter((other) => other.id !== session.id && other.record.workspace === workspace);
}
