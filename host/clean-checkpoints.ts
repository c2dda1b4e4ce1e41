import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../lib/app.ts';
import type { Undo } from '../lib/base/clock.ts';
import { layout } from '../lib/store/store-paths.ts';

export interface CleaningOptions {
  /** The data directory. */
  directory: string;
  /** What recovery could not make sense of; then no checkpoint is dropped. */
  findings: readonly string[];
}

/** When the start is over. */
const cleaningMs = 2_000;

/**
 * Drops, once, what a crash left of checkpoints: half-written files, and those of sessions whose deletion was cut off before
 * them. Those of damaged sessions, which somebody may want to bring back, stay.
 */
export function cleanCheckpointsLater(
  { clock, log, checkpoints, sessions }: Pick<App, 'clock' | 'log' | 'checkpoints' | 'sessions'>,
  { directory, findings }: CleaningOptions,
): Undo {
  const isKnown = (tenantId: string, id: string): boolean =>
    sessions.find(tenantId, id) !== undefined || existsSync(join(directory, layout.quarantine, id));
  return clock.after(cleaningMs, () => {
    checkpoints
      .tidy()
      .then(() => (findings.length > 0 ? undefined : checkpoints.forgetUnknown(isKnown)))
      .catch((error: unknown) => log.warn('What a crash left of checkpoints could not be dropped.', { error }));
  });
}
