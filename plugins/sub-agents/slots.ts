import type { Undo } from '../../lib/plugin-api/index.ts';

/** The right to run, of which there are as many as children may run at the same time. */
export interface Slots {
  /** Waits for its turn; rejects with the signal's reason when that aborts first. The result gives the slot back, once. */
  take(signal: AbortSignal, options?: { first?: boolean }): Promise<Undo>;
}

interface Waiter {
  admit(): void;
}

/**
 * @param limit 0 sets no bound
 * First come, first served, but who is `first` goes before all others: a child that has waited for its own children
 * continues before new work begins.
 */
export function createSlots(limit: number): Slots {
  const waiting: Waiter[] = [];
  let taken = 0;

  const giveBack = (): Undo => {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      taken -= 1;
      waiting.shift()?.admit();
    };
  };

  return {
    take(signal, { first = false } = {}) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (limit === 0 || taken < limit) {
        taken += 1;
        return Promise.resolve(giveBack());
      }
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          waiting.splice(waiting.indexOf(waiter), 1);
          reject(signal.reason);
        };
        const waiter: Waiter = {
          admit() {
            signal.removeEventListener('abort', leave);
            taken += 1;
            resolve(giveBack());
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        if (first) waiting.unshift(waiter);
        else waiting.push(waiter);
      });
    },
  };
}
