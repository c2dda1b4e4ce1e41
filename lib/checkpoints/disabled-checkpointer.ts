import { ServiceError } from '../wire/errors.ts';
import type { Checkpointer } from './checkpointer.ts';

/** Takes no snapshots and says why: for `checkpoints.enabled: false`. */
export function createDisabledCheckpointer(reason: string): Checkpointer {
  const refuse = async (): Promise<never> => {
    throw new ServiceError('checkpoints_unavailable', `Checkpoints are not available: ${reason}`);
  };
  return {
    list: async () => ({ enabled: false, reason, checkpoints: [] }),
    capture: refuse,
    captureBefore: () => ({ taken: refuse(), hurry: () => undefined }),
    restore: refuse,
    preview: refuse,
    diff: refuse,
    ofMessage: async () => undefined,
    forget: async () => undefined,
    forgetUnknown: async () => undefined,
    tidy: async () => undefined,
    close: async () => undefined,
  };
}
