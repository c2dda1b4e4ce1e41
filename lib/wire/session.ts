import type { Activity } from './activity.ts';
import type { Approval } from './approval.ts';
import type { ChatMessage } from './message.ts';
import type { Usage } from './usage.ts';

export const sessionStatuses = ['idle', 'running', 'interrupted', 'error', 'cancelled'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

/** Contract: SessionSummary, with the cumulative `usage` that the list route promises. */
export interface SessionSummary {
  id: string;
  title: string;
  createdAt: string;
  updatedAt: string;
  status: SessionStatus;
  model: string;
  messageCount: number;
  workspace: string;
  usage: Usage;
  parentId?: string;
  depth?: number;
  role?: string;
  /** While a run is active, in answers only: records and events do not carry it. */
  activity?: Activity;
}

export interface SessionDetail extends SessionSummary {
  messages: ChatMessage[];
  systemPrompt?: string;
  /** What waits for a person; on a session without a parent also what its sub-agents ask, each decided at its own session. */
  pendingApprovals: Approval[];
  /** The newest event that this answer includes: a stream that begins after it misses nothing. */
  lastSeq: number;
}

/**
 * What the service keeps of a session beside its transcript; always in memory, under 1 KB.
 * `revision` counts the commits to the session, without gaps: the store proves completeness with it.
 */
export interface SessionRecord extends Omit<SessionSummary, 'activity'> {
  tenantId: string;
  /** The top of the delegation tree; the session itself when a person started it. */
  rootId: string;
  /** False while the title is the placeholder that the first message replaces. */
  titled: boolean;
  systemPrompt?: string;
  revision: number;
}

/** The record fields that a change may set. */
export type SessionFields = Partial<
  Pick<SessionRecord, 'title' | 'titled' | 'updatedAt' | 'status' | 'model' | 'systemPrompt' | 'usage' | 'messageCount'>
>;
