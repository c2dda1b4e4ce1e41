import type { Approval, ApprovalDecision } from '../wire/approval.ts';
import type { ServerEventEnvelope } from '../wire/event.ts';
import type { EventsOptions } from './events.ts';
import type { Routes } from './routes.ts';

export type Approve = (approval: Approval) => ApprovalDecision | boolean | Promise<ApprovalDecision | boolean>;

export interface ApprovalPorts {
  routes: Pick<Routes, 'decideApproval' | 'listApprovals'>;
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
    if (!(error instanceof Error && 'code' in error && error.code === 'approval_not_found')) throw error;
  });
}

/**
 * Decides what the sub-agents below `rootId` ask until `signal` aborts. They are sessions of their own, so this follows the
 * events of all sessions that the caller may see. What goes wrong goes to `fail`.
 */
export function decideForChildren(
  { routes, events }: ApprovalPorts,
  rootId: string,
  { approve, signal, fail }: { approve: Approve; signal: AbortSignal; fail: (error: unknown) => void },
): void {
  const asked = new Set<string>();
  const ask = (approval: Approval): void => {
    const { id, sessionId, rootSessionId } = approval;
    if (signal.aborted || rootSessionId !== rootId || sessionId === rootId || asked.has(id)) return;
    asked.add(id);
    decide(routes, approval, approve).catch(fail);
  };
  /** What was asked before the stream stood, or while it was broken. */
  const catchUp = async () => {
    for (const approval of (await routes.listApprovals()).approvals) ask(approval);
  };
  const follow = async () => {
    for await (const { event } of events({ signal, onOpen: () => void catchUp().catch(fail) }))
      if (event.type === 'approval.requested') ask(event.approval);
  };
  follow().catch(fail);
}
