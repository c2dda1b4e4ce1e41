import { isDiskFull } from '../lib/store/reserve.ts';
import { exitError } from './exit-error.ts';

/** Why a start failed, for the person who began it: a full disk is one line and 78, whichever part of the start met it. */
export function startFailure(error: unknown, directory: string): unknown {
  const isExplained = error instanceof Error && 'exitCode' in error;
  if (isExplained || !isDiskFull(error)) return error;
  return exitError(
    `The data directory ${directory} can't be used: no space is left on the device. Make room first.`,
    78,
  );
}
