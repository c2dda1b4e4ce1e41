import type { SessionStatus } from './session.ts';

export type FindingCode =
  /** Stored as running, but nothing runs: it would say so for ever. */
  | 'stuck_status'
  /** Busy for a run that is not there: it would refuse everything. */
  | 'stuck_reservation'
  /** A call of the last reply without its result. */
  | 'unanswered_call'
  /** The same, further up in the transcript. */
  | 'unpaired_call'
  /** A result that belongs to no call before it. */
  | 'unpaired_result'
  /** The bytes of an image are not in the store. */
  | 'missing_image'
  | 'unreadable_transcript';

export interface Finding {
  code: FindingCode;
  message: string;
  messageId?: string;
  toolCallId?: string;
  /** What a repair does about it; absent when it can do nothing, and then `message` says what that means. */
  repair?: string;
}

/** What is wrong with a session. */
export interface Diagnosis {
  sessionId: string;
  status: SessionStatus;
  /** The active run; while there is one, its open calls are work in progress and no finding. */
  activeRunId: string | null;
  messages: number;
  findings: Finding[];
}

export interface Repair {
  /** What was found and put right. */
  repaired: Finding[];
  /** How the session is now. */
  diagnosis: Diagnosis;
}
