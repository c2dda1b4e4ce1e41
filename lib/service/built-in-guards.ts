import type { SessionGuard } from '../plugin-api/services.ts';
import type { StoreTrouble } from '../store/session-store.ts';

/** What the host knows about the process; asked on every creation and run, so each answer must be a comparison. */
export interface HostHealth {
  /** The event loop has been late for a while. */
  overloaded(): boolean;
  /** Free bytes when they are below what `storage.minFreeBytes` keeps; undefined while there is enough. */
  missingSpace(): number | undefined;
  /** Why the store refuses changes, if it does. */
  trouble(): StoreTrouble | undefined;
}

/** Enough for a burst to pass, and for the next measurement of the disk. */
const retryAfterSeconds = 5;

/**
 * The service's own vetoes, by the mechanism that plugins use (contract: Errors, rule 2). They keep new work away; what is
 * going on, reading and deleting are never refused.
 */
export function hostGuard({ overloaded, missingSpace, trouble }: HostHealth): SessionGuard {
  return () => {
    if (overloaded()) veto('overloaded', 'The service is busy with more than it can do. Try again in a moment.');
    const why = trouble();
    if (why === 'read-only')
      veto(
        'storage_read_only',
        'The data directory is read-only, so nothing can be stored. What is there can be read.',
      );
    if (why === 'unavailable') veto('storage_unavailable', 'The store does not answer. Try again in a moment.');
    if (why === 'full') veto('storage_low', 'The disk of the data directory is full. Delete sessions or free space.');
    const free = missingSpace();
    if (free !== undefined)
      veto(
        'storage_low',
        `Only ${megabytes(free)} MB are free for the data directory. Delete sessions or free space; \`storage.minFreeBytes\` is the limit.`,
      );
  };
}

const stoppingText = 'The service is stopping. Try again in a moment.';

/** During a stop: a client that retries after the hint meets the next process. Sessions can still be created. */
export const drainGuard: SessionGuard = ({ action }) => {
  if (action === 'run') veto('shutting_down', stoppingText);
};

/** Once the app is closing: nobody would end the run, and nothing could store its end. */
export const closedGuard: SessionGuard = () => veto('shutting_down', stoppingText);

function veto(code: string, message: string): never {
  throw Object.assign(new Error(message), { name: 'SessionGuardError', code, retryAfterSeconds });
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(bytes < 2 ** 24 ? 1 : 0);
}
