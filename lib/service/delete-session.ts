import type { App } from '../app.ts';
import type { Session } from '../session/session.ts';
import { toSummary } from '../session/summary.ts';
import { checkpointOwner } from './checkpoint-owner.ts';
import { refuseWhenRemoved } from './refuse.ts';

type Surroundings = Pick<App, 'runs' | 'sessions' | 'events' | 'checkpoints' | 'log'>;

/**
 * Deletes a session with its children; active runs are ended without a trace (contract: DELETE). Resolves once the deletion
 * is durable. `session.deleted` is the last event of each, deepest first.
 */
export async function deleteSession(app: Surroundings, session: Session): Promise<void> {
  refuseWhenRemoved(session);
  // In one tick, of which a store makes one write where nothing is being stored of them: all go or none. And no run is left
  // that could make another child.
  const deletions = familyOf(app, session).map((each) => deleteAlone(app, each));
  const failure = (await Promise.allSettled(deletions)).find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
}

/** The session behind all that work for it, without those that are being deleted already. */
function familyOf(app: Pick<App, 'sessions'>, session: Session): Session[] {
  const children = app.sessions.childrenOf(session.id).filter(({ removed }) => !removed);
  return [...children.flatMap((child) => familyOf(app, child)), session];
}

async function deleteAlone(app: Surroundings, session: Session): Promise<void> {
  app.runs.stop(session.id, 'void');
  try {
    await session.commit({ kind: 'deleted' }, () => [{ type: 'session.deleted', sessionId: session.id }]);
  } catch (error) {
    if (session.record.status === 'running') {
      session.setStatusInMemory('interrupted');
      // The run has ended without a trace, so that nothing else would tell those who wait for its end.
      session.publish({ type: 'session.updated', sessionId: session.id, session: toSummary(session.record) });
    }
    throw error;
  }
  app.sessions.remove(session);
  app.events.forget({ tenantId: session.tenantId, sessionId: session.id });
  app.checkpoints
    .forget(checkpointOwner(session))
    .catch((error: unknown) =>
      app.log.warn('Checkpoints of a deleted session could not be dropped.', { sessionId: session.id, error }),
    );
}
