import type { ToolCall } from './message.ts';

/** A tool call that waits for a person (contract: Approval request). */
export interface Approval {
  id: string;
  call: ToolCall;
  reason: string;
  requestedAt: string;
  expiresAt: string;
  sessionId: string;
  rootSessionId: string;
  /** The sub-agent role that asks, on child sessions. */
  role?: string;
}

export interface ApprovalDecision {
  approved: boolean;
  note?: string;
}
