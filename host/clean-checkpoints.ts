import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../lib/app.ts';
import type { Undo } from '../lib/base/clock.ts';
import { layout } from '../lib/store/store-paths.ts';

export interface CleaningOptions {
  /** The data directory. */
  directory: string;
  /** What recovery could not make sense of; then nothing is cleaned. */
  findings: readonly string[];
}

/** When the start is over. */
const cleaningMs = 2_000;

/**
 * Drops, once, the checkpoints of sessions whose deletion a crash cut off before them. Those of damaged sessions, which
 * somebody may want to bring back, stay.
 */
export function cleanCheckpointsLater(
  { clock, log, checkpoints, sessions }: Pick<App, 'clock' | 'log' | 'checkpoints' | 'sessions'>,
  { directory, findings }: CleaningOptions,
): Undo {
  if (findings.length > 0) return () => undefined;
  const isKnown = (tenantId: string, id: string): boolean =>
    sessions.find(tenantId, id) !== undefined || existsSync(join(directory, layout.quarantine, id));
  return clock.after(cleaningMs, () => {
    checkpoints
      .forgetUnknown(isKnown)
      .catch((error: unknown) => log.warn('Checkpoints of deleted sessions could not be dropped.', { error }));
  });
}
