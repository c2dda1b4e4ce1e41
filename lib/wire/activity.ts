/**
 * What a run is doing. `starting` lasts until the model is asked; `thinking` and `answering` while it streams;
 * `waiting` between.
 */
export type ActivityPhase = 'starting' | 'waiting' | 'thinking' | 'answering' | 'tool' | 'approval' | 'compacting';

/** On summaries of running sessions, beyond the contract. `since` is when the phase began. */
export interface Activity {
  phase: ActivityPhase;
  since: string;
  /** The tool that runs or waits for approval. */
  tool?: string;
  approvalId?: string;
  /** A sub-agent session that works for this one. */
  childId?: string;
}
