import type { App } from '../app.ts';
import type { Session } from '../session/session.ts';
import { refuseWhenRemoved } from './start-run.ts';

type Surroundings = Pick<App, 'runs' | 'sessions' | 'events' | 'checkpoints' | 'log'>;

/**
 * Deletes a session and its children, deepest first; an active run is ended without a trace (contract: DELETE).
 * Resolves once the deletion is durable. `session.deleted` is the session's last event.
 */
export async function deleteSession(app: Surroundings, session: Session): Promise<void> {
  refuseWhenRemoved(session);
  // Looked up again each time: the run may still make children while others are being deleted.
  for (let child = childOf(app, session); child; child = childOf(app, session)) await deleteSession(app, child);
  refuseWhenRemoved(session);
  app.runs.stop(session.id, 'void');
  try {
    await session.commit({ kind: 'deleted' }, () => [{ type: 'session.deleted', sessionId: session.id }]);
  } catch (error) {
    if (session.record.status === 'running') session.setStatusInMemory('interrupted');
    throw error;
  }
  app.sessions.remove(session);
  app.events.forget(session.id);
  const { id, tenantId, record } = session;
  app.checkpoints
    .forget({ id, tenantId, workspace: record.workspace })
    .catch((error: unknown) =>
      app.log.warn('Checkpoints of a deleted session could not be dropped.', { sessionId: id, error }),
    );
}

function childOf(app: Pick<App, 'sessions'>, session: Session): Session | undefined {
  return app.sessions.childrenOf(session.id).find(({ removed }) => !removed);
}
