import type { Session } from '../session/session.ts';
import { ServiceError } from '../wire/errors.ts';

/** Throws `session_busy`. Call it in the same tick as what must not happen during a run. */
export function refuseWhenBusy(session: Session): void {
  if (session.activeRunId !== undefined)
    throw new ServiceError(
      'session_busy',
      'A run of this session is active. Wait for its end or cancel it; nothing is queued.',
    );
}

/** Throws `session_not_found` for a session that was deleted while something was awaited. */
export function refuseWhenRemoved(session: Session): void {
  if (session.removed) throw new ServiceError('session_not_found', 'There is no such session.');
}
