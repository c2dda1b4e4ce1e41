import type { App } from '../app.ts';
import type { Session } from '../session/session.ts';
import { toSummary } from '../session/summary.ts';
import { toChatMessages } from '../session/wire-message.ts';
import type { Approval } from '../wire/approval.ts';
import type { SessionDetail } from '../wire/session.ts';
import { activityOf } from './activity.ts';

/** Contract: SessionDetail; additive: what waits for approval, and the newest event that the answer includes. */
export type FullSessionDetail = SessionDetail & { pendingApprovals: Approval[]; lastSeq: number };

export async function sessionDetail(
  app: Pick<App, 'store' | 'approvals' | 'events' | 'runs' | 'sessions'>,
  session: Session,
): Promise<FullSessionDetail> {
  await session.load();
  // Taken together, before anything is awaited: a subscriber that starts at `lastSeq` misses nothing.
  const { record } = session;
  const messages = [...session.messages];
  const lastSeq = app.events.lastSeq;
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
