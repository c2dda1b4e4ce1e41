import type { Draft } from './drafts.ts';

/** A message that waits for the end of a run. */
export interface Queued {
  id: string;
  sessionId: string;
  draft: Draft;
  /** When it was queued, in milliseconds since the epoch. */
  at: number;
  /** It was queued before this page was loaded: it goes at the end of a run, or when somebody says so. */
  isOld: boolean;
}

export const mostQueued = 20;
