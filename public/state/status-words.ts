import type { SessionStatus } from '../../lib/wire/session.ts';

/** The states of a session in the words of the console. */
export const statusWords: Readonly<Record<SessionStatus, string>> = {
  idle: 'ready',
  running: 'running',
  interrupted: 'interrupted',
  error: 'failed',
  cancelled: 'stopped',
};
