import type { Activity } from '../../lib/wire/activity.ts';
import type { Approval } from '../../lib/wire/approval.ts';
import type { ServerEventEnvelope, SessionEvent } from '../../lib/wire/event.ts';
import type { SessionSummary } from '../../lib/wire/session.ts';

/** All sessions and everything that waits for a person. Immutable; `reduceDirectory` makes the next one. */
export interface Directory {
  sessions: ReadonlyMap<string, SessionSummary>;
  approvals: readonly Approval[];
  /** Sessions whose run ended while nobody looked. */
  unread: ReadonlySet<string>;
}

export const emptyDirectory: Directory = { sessions: new Map(), approvals: [], unread: new Set() };

/** What the service says now; `unread` is the console's own. */
export function fromLists(
  now: Directory,
  lists: { sessions: readonly SessionSummary[]; approvals: readonly Approval[] },
): Directory {
  const sessions = new Map(lists.sessions.map((session) => [session.id, session]));
  const unread = new Set([...now.unread].filter((id) => sessions.has(id)));
  return { sessions, approvals: lists.approvals, unread };
}

/** What an event makes of the directory. `open` is the session that is being looked at. */
export function reduceDirectory(
  now: Directory,
  { at, event }: ServerEventEnvelope,
  open: string | undefined,
): Directory {
  switch (event.type) {
    case 'session.updated':
      return withSession(now, { ...event.session, ...keptActivity(now, event.session) });
    case 'session.deleted':
      return without(now, event.sessionId);
    case 'approval.requested':
      return withActivity(
        { ...now, approvals: [...now.approvals.filter(({ id }) => id !== event.approval.id), event.approval] },
        event,
        at,
      );
    case 'approval.resolved':
      return withActivity(withoutApproval(now, event.approvalId), event, at);
    case 'run.finished':
    case 'run.failed': {
      const ended = withActivity(
        { ...now, approvals: now.approvals.filter(({ sessionId }) => sessionId !== event.sessionId) },
        event,
        at,
      );
      return event.sessionId === open ? ended : { ...ended, unread: new Set(ended.unread).add(event.sessionId) };
    }
    case 'run.started':
    case 'message.started':
    case 'tool.started':
    case 'tool.finished':
      return withActivity(now, event, at);
    default:
      return now;
  }
}

export function withoutApproval(now: Directory, approvalId: string): Directory {
  return { ...now, approvals: now.approvals.filter(({ id }) => id !== approvalId) };
}

export function withSession(now: Directory, session: SessionSummary): Directory {
  return { ...now, sessions: new Map(now.sessions).set(session.id, session) };
}

/** Without the session and what waits in it. */
export function without(now: Directory, sessionId: string): Directory {
  const sessions = new Map(now.sessions);
  const unread = new Set(now.unread);
  sessions.delete(sessionId);
  unread.delete(sessionId);
  return { sessions, unread, approvals: now.approvals.filter((approval) => approval.sessionId !== sessionId) };
}

/** Without the mark that its run ended while nobody looked. */
export function read(now: Directory, sessionId: string): Directory {
  if (!now.unread.has(sessionId)) return now;
  const unread = new Set(now.unread);
  unread.delete(sessionId);
  return { ...now, unread };
}

/** Everything that waits in a session or below it. */
export function approvalsBelow(now: Directory, sessionId: string): Approval[] {
  return now.approvals.filter((approval) => {
    for (let id: string | undefined = approval.sessionId; id; id = now.sessions.get(id)?.parentId)
      if (id === sessionId) return true;
    return approval.rootSessionId === sessionId;
  });
}

function keptActivity(now: Directory, { id, status }: SessionSummary): { activity?: Activity } {
  const activity = now.sessions.get(id)?.activity;
  return status === 'running' && activity ? { activity } : {};
}

function withActivity(now: Directory, event: SessionEvent & { sessionId: string }, at: string): Directory {
  const session = now.sessions.get(event.sessionId);
  if (!session) return now;
  const { activity: _, ...rest } = session;
  const activity = activityAfter(event, at);
  return withSession(now, activity ? { ...rest, activity } : rest);
}

function activityAfter(event: SessionEvent, since: string): Activity | undefined {
  switch (event.type) {
    case 'run.started':
      return { phase: 'starting', since };
    case 'message.started':
      return { phase: event.message.role === 'assistant' ? 'answering' : 'waiting', since };
    case 'tool.started':
      return { phase: 'tool', since, tool: event.call.name };
    case 'tool.finished':
    case 'approval.resolved':
      return { phase: 'waiting', since };
    case 'approval.requested':
      return { phase: 'approval', since, tool: event.approval.call.name, approvalId: event.approval.id };
    default:
      return undefined;
  }
}
