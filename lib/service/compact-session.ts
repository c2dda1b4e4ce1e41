import type { App } from '../app.ts';
import { compact } from '../run/compaction.ts';
import type { Session } from '../session/session.ts';
import { refuseWhenBusy, refuseWhenRemoved } from './start-run.ts';

/** Compacts a session without an active run now, whatever its size; true when messages were replaced. Throws `session_busy` or a guard's veto. */
export async function compactSession(app: Pick<App, 'runs' | 'guards'>, session: Session): Promise<boolean> {
  await session.load();
  refuseWhenRemoved(session);
  refuseWhenBusy(session);
  app.guards.check({ action: 'run', tenantId: session.tenantId, sessionId: session.id });
  const claim = app.runs.claim(session);
  try {
    return await compact(claim);
  } finally {
    app.runs.release(claim);
  }
}
