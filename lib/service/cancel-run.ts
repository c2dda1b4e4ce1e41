import type { App } from '../app.ts';
import type { Session } from '../session/session.ts';

/**
 * Ends what the session is doing: model call, retry wait, compaction, tool, approval, and the runs of its children
 * (contract: cancel). Idempotent; true when this call is the one that ended an active run.
 */
export function cancelRun(app: Pick<App, 'runs' | 'sessions'>, session: Session): boolean {
  const cancelled = app.runs.stop(session.id, 'cancelled');
  for (const child of app.sessions.childrenOf(session.id)) cancelRun(app, child);
  return cancelled;
}
