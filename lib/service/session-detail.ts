import type { App } from '../app.ts';
import { settledWithin } from '../base/time-limits.ts';
import type { Session } from '../session/session.ts';
import { toSummary } from '../session/summary.ts';
import { toChatMessages } from '../session/wire-message.ts';
import type { SessionDetail } from '../wire/session.ts';
import { activityOf } from './activity.ts';

/** Many times what a disk takes to store the end of a run. */
const endPatienceMs = 250;

/** Waits until the end of a run that it shows was told, too; a store that is slow or lost delays it by at most 250 ms. */
export async function sessionDetail(
  app: Pick<App, 'clock' | 'store' | 'approvals' | 'events' | 'runs' | 'sessions'>,
  session: Session,
): Promise<SessionDetail> {
  // Who reads that a session is idle and subscribes then, before the next message, must not meet the end of the run before.
  if (!session.isSettled && session.record.status !== 'running')
    await settledWithin(app.clock, endPatienceMs, session.settled());
  await session.load();
  // Taken together, before anything is awaited: a subscriber that starts at `lastSeq` misses nothing.
  const { record } = session;
  const messages = [...session.messages];
  const lastSeq = app.events.lastSeq;
  app.events.shown({ tenantId: session.tenantId, sessionId: session.id });
  const activity = activityOf(app, session.id);
  const pendingApprovals = app.approvals.pendingOf(session.id);
  return {
    ...toSummary(record),
    ...(record.systemPrompt === undefined ? {} : { systemPrompt: record.systemPrompt }),
    ...(activity ? { activity } : {}),
    messages: await toChatMessages(app.store, session, messages),
    pendingApprovals,
    lastSeq,
  };
}
