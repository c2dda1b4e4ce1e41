import type { Approval, ApprovalDecision } from '../wire/approval.ts';

/** Tool calls that wait for a person. One decision each: the first of decision, timeout and cancel wins. */
export interface Approvals {
  /** Throws ServiceError `approval_not_found` when it is unknown or decided already. */
  decide(sessionId: string, approvalId: string, decision: ApprovalDecision): void;
  pendingOf(sessionId: string): Approval[];
}
