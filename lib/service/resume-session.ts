import type { Session } from '../session/session.ts';
import { ServiceError } from '../wire/errors.ts';
import { refuseWhenRemoved } from './refuse.ts';
import { messageCutOff, snapshotBefore } from './snapshot-before.ts';
import { type RunStarters, startRun } from './start-run.ts';

/**
 * Continues an interrupted or failed session where its transcript ends (contract: resume). Calls without a result get an
 * error result and are not executed again; the run's system prompt says so. Throws `not_resumable` or a guard's veto.
 */
export async function resumeSession(app: RunStarters, session: Session): Promise<{ runId: string }> {
  await session.load();
  refuseWhenRemoved(session);
  const { status } = session.record;
  if (session.activeRunId !== undefined || (status !== 'interrupted' && status !== 'error'))
    throw new ServiceError(
      'not_resumable',
      `Only an interrupted or failed session can be resumed; this one is ${session.activeRunId ? 'running' : status}.`,
    );
  app.guards.check({ action: 'run', tenantId: session.tenantId, sessionId: session.id });
  const cutOff = messageCutOff(session);
  const run = app.runs.claim(session, { resumed: true });
  const started = (accepted: Promise<void>): void => snapshotBefore(app, run, { cutOff, accepted });
  return { runId: await startRun(app, run, { messages: [], started }) };
}
