import type { Approval, ApprovalDecision } from '../wire/approval.ts';
import type { ServerEventEnvelope } from '../wire/event.ts';
import type { EventsOptions } from './events.ts';
import type { Routes } from './routes.ts';

export type Approve = (approval: Approval) => ApprovalDecision | boolean | Promise<ApprovalDecision | boolean>;

export interface ApprovalPorts {
  routes: Pick<Routes, 'decideApproval' | 'listApprovals' | 'readSession'>;
  events(options: EventsOptions): AsyncIterable<ServerEventEnvelope>;
}

/** Asks `approve` and sends its decision. Rejects with what `approve` throws, and with ApiError when the decision is refused. */
export async function decide(
  routes: Pick<Routes, 'decideApproval'>,
  approval: Approval,
  approve: Approve,
): Promise<void> {
  const decision = await approve(approval);
  const body = typeof decision === 'boolean' ? { approved: decision } : decision;
  await routes.decideApproval(approval.sessionId, approval.id, body).catch((error: unknown) => {
    // Somebody else was faster, or the time was up: the run goes on either way.
    if (!isCoded(error, 'approval_not_found')) throw error;
  });
}

/**
 * Decides what the sub-agents below a session, which may be one itself, ask until `signal` aborts. They are sessions of their
 * own, so this follows the events of all sessions that the caller may see. What goes wrong goes to `fail`.
 */
export function decideForChildren(
  { routes, events }: ApprovalPorts,
  aboveId: string,
  { approve, signal, fail }: { approve: Approve; signal: AbortSignal; fail: (error: unknown) => void },
): void {
  const asked = new Set<string>();
  const isBelow = createAncestry(routes, aboveId);
  const ask = async (approval: Approval): Promise<void> => {
    if (signal.aborted || approval.sessionId === aboveId || asked.has(approval.id)) return;
    asked.add(approval.id);
    if (await isBelow(approval)) await decide(routes, approval, approve);
  };
  /** What was asked before the stream stood, or while it was broken. */
  const catchUp = async () => {
    for (const approval of (await routes.listApprovals()).approvals) ask(approval).catch(fail);
  };
  const follow = async () => {
    for await (const { event } of events({ signal, onOpen: () => void catchUp().catch(fail) }))
      if (event.type === 'approval.requested') ask(event.approval).catch(fail);
  };
  follow().catch(fail);
}

/** Whether the session that asks works for this one. Looks at sessions only where the root that an approval names does not tell. */
function createAncestry(
  routes: Pick<Routes, 'readSession'>,
  aboveId: string,
): (approval: Approval) => Promise<boolean> {
  const parents = new Map<string, Promise<string | undefined>>();
  const parentOf = (id: string): Promise<string | undefined> => {
    const parent =
      parents.get(id) ??
      routes.readSession(id).then(
        ({ session }) => session.parentId,
        (error: unknown) => {
          // Deleted, and what it asked with it.
          if (isCoded(error, 'session_not_found')) return undefined;
          throw error;
        },
      );
    parents.set(id, parent);
    return parent;
  };
  return async ({ sessionId, rootSessionId }) => {
    if (rootSessionId === aboveId) return true;
    // A root has nothing below other roots.
    if ((await parentOf(aboveId)) === undefined) return false;
    for (let id = await parentOf(sessionId); id !== undefined; id = await parentOf(id)) if (id === aboveId) return true;
    return false;
  };
}

function isCoded(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
