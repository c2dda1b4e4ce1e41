/**
 * Work that several parties want done and that must not run all at once. A party has at most one piece under way; whose
 * turn it is goes round, so that many pieces of one party delay another's by no more than one of each party before it.
 */
export interface FairQueue {
  /**
   * Does `work` when its turn comes. Rejects with the signal's reason when that aborts before, and with an Error named
   * `QueueFull` at once when the party has too many waiting.
   */
  add<T>(party: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

interface Turn {
  start(): void;
}

/** `atOnce` pieces at a time of all parties together; a party may have `perParty` waiting beside the one under way. */
export function createFairQueue({ atOnce, perParty }: { atOnce: number; perParty: number }): FairQueue {
  /** Those who wait, the party whose turn is next first. Nobody is in it with nothing. */
  const waiting = new Map<string, Turn[]>();
  const active = new Set<string>();

  return {
    async add(party, work, signal) {
      signal.throwIfAborted();
      await turnOf(party, signal);
      try {
        return await work();
      } finally {
        active.delete(party);
        // Who had a turn is the last of the round.
        const left = waiting.get(party);
        waiting.delete(party);
        if (left) waiting.set(party, left);
        next();
      }
    },
  };

  function turnOf(party: string, signal: AbortSignal): Promise<void> {
    const own = waiting.get(party) ?? [];
    if (own.length >= perParty)
      throw Object.assign(new Error(`${own.length} are waiting already.`), { name: 'QueueFull' });
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        drop(party, turn);
        reject(signal.reason);
      };
      const turn: Turn = {
        start() {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      own.push(turn);
      waiting.set(party, own);
      next();
    });
  }

  function drop(party: string, turn: Turn): void {
    const left = waiting.get(party)?.filter((each) => each !== turn) ?? [];
    if (left.length > 0) waiting.set(party, left);
    else waiting.delete(party);
  }

  function next(): void {
    for (const [party, [turn]] of waiting) {
      if (active.size === atOnce) return;
      if (turn === undefined || active.has(party)) continue;
      active.add(party);
      drop(party, turn);
      turn.start();
    }
  }
}
