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
  // A deletion that is on its way may be refused yet: then that one is there again, and has to go with this one.
  for (let going = goingBelow(app, session); going.length > 0; going = goingBelow(app, session)) {
    await Promise.all(going.map((each) => each.settled()));
    refuseWhenRemoved(session);
  }
  // In one tick, of which a store makes one write where nothing is being stored of them: all go or none. And no run is left
  // that could make another child.
  const deletions = familyOf(app, session).map((each) => deleteAlone(app, each));
  const failure = (await Promise.allSettled(deletions)).find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') throw failure.reason;
}

/** The session behind all that work for it. */
function familyOf(app: Pick<App, 'sessions'>, session: Session): Session[] {
  return [...app.sessions.childrenOf(session.id).flatMap((child) => familyOf(app, child)), session];
}

/** Those that work for the session and are being deleted already. */
function goingBelow(app: Pick<App, 'sessions'>, session: Session): Session[] {
  return familyOf(app, session).filter((each) => each !== session && each.removed);
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
