import { type Clock, isoTime } from '../base/clock.ts';
import type { Approval, ApprovalDecision } from '../wire/approval.ts';
import { ServiceError } from '../wire/errors.ts';
import type { IdSource } from '../wire/ids.ts';
import type { ToolCall } from '../wire/message.ts';
import type { Run } from './run.ts';

export interface ApprovalOutcome extends ApprovalDecision {
  by: 'person' | 'timeout' | 'stop';
}

/**
 * Tool calls that wait for a person. One resolution each: the first of decision, timeout and stop wins (contract:
 * Approval lifecycle).
 */
export interface Approvals {
  /** Publishes `approval.requested`, waits, publishes `approval.resolved`. Never rejects. */
  request(run: Run, call: ToolCall, reason: string): Promise<ApprovalOutcome>;
  /** Throws ServiceError `approval_not_found` when it is unknown, of another session, or resolved already. */
  decide(sessionId: string, approvalId: string, decision: ApprovalDecision): void;
  /** What waits in the session, and for a root in its sub-agents, too; oldest first. Each is decided at its own session. */
  pendingOf(sessionId: string): Approval[];
  /** Every waiting approval, oldest first, with the tenant it belongs to. */
  pending(): { tenantId: string; approval: Approval }[];
}

interface Pending {
  tenantId: string;
  approval: Approval;
  resolve(outcome: ApprovalOutcome): void;
}

export function createApprovals(options: { clock: Clock; newId: IdSource; timeoutMs: number }): Approvals {
  const { clock, newId, timeoutMs } = options;
  const waiting = new Map<string, Pending>();

  return {
    request(run, call, reason) {
      const { record } = run.session;
      const now = clock.now();
      const approval: Approval = {
        id: newId('apr'),
        call,
        reason,
        requestedAt: isoTime(now),
        expiresAt: isoTime(Math.min(now + timeoutMs, 8.64e15)),
        sessionId: record.id,
        rootSessionId: record.rootId,
        ...(record.role === undefined ? {} : { role: record.role }),
      };
      if (run.signal.aborted) return Promise.resolve({ approved: false, by: 'stop' });
      return new Promise((settle) => {
        const onStop = (): void => pending.resolve({ approved: false, by: 'stop' });
        const disarm = clock.after(timeoutMs, () => pending.resolve({ approved: false, by: 'timeout' }));
        const pending: Pending = {
          tenantId: record.tenantId,
          approval,
          resolve(outcome) {
            if (!waiting.delete(approval.id)) return;
            disarm();
            run.signal.removeEventListener('abort', onStop);
            run.enter('tool', { tool: call.name });
            run.publish({
              type: 'approval.resolved',
              sessionId: record.id,
              approvalId: approval.id,
              approved: outcome.approved,
            });
            settle(outcome);
          },
        };
        waiting.set(approval.id, pending);
        run.enter('approval', { tool: call.name, approvalId: approval.id });
        run.signal.addEventListener('abort', onStop, { once: true });
        run.publish({ type: 'approval.requested', sessionId: record.id, approval });
      });
    },
    decide(sessionId, approvalId, decision) {
      const pending = waiting.get(approvalId);
      if (pending?.approval.sessionId !== sessionId)
        throw new ServiceError(
          'approval_not_found',
          'No such approval is waiting: it is unknown, was decided already, or timed out.',
        );
      pending.resolve({ ...decision, by: 'person' });
    },
    pendingOf: (sessionId) =>
      [...waiting.values()].flatMap(({ approval }) =>
        approval.sessionId === sessionId || approval.rootSessionId === sessionId ? [approval] : [],
      ),
    pending: () => [...waiting.values()].map(({ tenantId, approval }) => ({ tenantId, approval })),
  };
}
