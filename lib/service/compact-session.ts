import type { App } from '../app.ts';
import { compact } from '../run/compaction.ts';
import { missingModel } from '../run/run.ts';
import type { Session } from '../session/session.ts';
import { toSummary } from '../session/summary.ts';
import { ServiceError } from '../wire/errors.ts';
import { refuseWhenBusy, refuseWhenRemoved } from './refuse.ts';

/**
 * Compacts a session without an active run now, whatever its size; true when messages were replaced, false when there was
 * nothing to replace or it was cancelled. Throws `session_busy`, `invalid_model` or a guard's veto.
 */
export async function compactSession(app: Pick<App, 'runs' | 'guards' | 'models'>, session: Session): Promise<boolean> {
  await session.load();
  refuseWhenRemoved(session);
  refuseWhenBusy(session);
  const { model } = session.record;
  if (!app.models.get(model)) throw new ServiceError('invalid_model', missingModel(model));
  app.guards.check({ action: 'run', tenantId: session.tenantId, sessionId: session.id });
  const { revision } = session.record;
  const claim = app.runs.claim(session);
  try {
    return await compact(claim);
  } catch (error) {
    if (!(error instanceof Error && error.name === 'RunStopped')) throw error;
    refuseWhenRemoved(session);
    return false;
  } finally {
    app.runs.release(claim);
    // No run ends here that would tell what it has used and how many messages are left.
    if (session.record.revision !== revision)
      session.publish({ type: 'session.updated', sessionId: session.id, session: toSummary(session.record) });
  }
}
