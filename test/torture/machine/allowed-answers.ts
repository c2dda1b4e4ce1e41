import type { Asked } from '../invariants/history.ts';

/** What each verb may answer when others are asked for at the same time; nothing else, and never a 500. */
export const allowedAnswers: Partial<Record<Asked['verb'], readonly string[]>> = {
  post: ['202', '409 session_busy', '429 quota_exceeded'],
  resume: ['202', '409 not_resumable', '429 quota_exceeded'],
  cancel: ['200'],
  patch: ['200', '409 session_busy'],
  rewind: ['200', '409 session_busy', '404 message_not_found'],
  compact: ['200', '409 session_busy', '429 quota_exceeded'],
  repair: ['200', '409 session_busy'],
  decide: ['200', '404 approval_not_found'],
  delete: ['204'],
  create: ['201', '429 quota_exceeded'],
};
