import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../lib/app.ts';
import type { Undo } from '../lib/base/clock.ts';
import { layout } from '../lib/store/store-paths.ts';

export interface CleaningOptions {
  /** The data directory. */
  directory: string;
  /** What the store says of sessions that it does not have; see `OpenedStore`. */
  aside: readonly string[];
  incomplete: boolean;
}

/** When the start is over. */
const cleaningMs = 2_000;

/**
 * Drops, once, what a crash left of checkpoints: half-written files, and those of sessions whose deletion was cut off before
 * them. Those of damaged sessions, which somebody may want to bring back, stay; all of them when it is not known which are.
 */
export function cleanCheckpointsLater(
  { clock, log, checkpoints, sessions }: Pick<App, 'clock' | 'log' | 'checkpoints' | 'sessions'>,
  { directory, aside, incomplete }: CleaningOptions,
): Undo {
  const isAside = new Set(aside);
  const isKnown = (tenantId: string, id: string): boolean =>
    sessions.find(tenantId, id) !== undefined || isAside.has(id) || existsSync(join(directory, layout.quarantine, id));
  return clock.after(cleaningMs, () => {
    checkpoints
      .tidy()
      .then(() => (incomplete ? undefined : checkpoints.forgetUnknown(isKnown)))
      .catch((error: unknown) => log.warn('What a crash left of checkpoints could not be dropped.', { error }));
  });
}
