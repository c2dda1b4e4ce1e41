import { Deque } from './deque.ts';
import type { Entry } from './entry.ts';

/** Somebody who waits for the next entry of a channel. */
export interface Waiter {
  wake(): void;
}

/** The entries of one stream (a session, a tenant, or the administrators' notices) in the order of their `seq`. */
export class Channel {
  readonly entries = new Deque<Entry>();
  readonly waiting = new Set<Waiter>();
  /** How many cursors stand on it: a channel with cursors or entries is kept. */
  cursors = 0;
  /** The `seq` of the last entry that was evicted from this stream; 0 when none was. */
  lostThrough: number;
  /** Nothing will come any more. */
  ended = false;
  /** Position where the run that is going on begins, with the message that started it; undefined between runs. */
  runFrom: number | undefined;
  /** What `message.delta` frames of the current message share. */
  prefix: { messageId: string; channel: string; text: string } | undefined;

  constructor(
    lostThrough: number,
    readonly tenantId?: string,
    readonly sessionId?: string,
  ) {
    this.lostThrough = lostThrough;
  }

  /** Wakes everyone who waits, once: O(waiters). */
  wake(): void {
    for (const waiter of this.waiting) waiter.wake();
  }

  /** To be told the type of an entry of a run's start or end, right after it was added. */
  noteRun(type: string): void {
    this.runFrom = undefined;
    if (type !== 'run.started') return;
    // The three are published as one.
    let position = this.entries.end - 1;
    for (const before of ['session.updated', 'message.completed'])
      if (this.entries.at(position - 1)?.type === before) position--;
    this.runFrom = position;
  }

  /** Drops the oldest entry. */
  evict(): void {
    const entry = this.entries.shift();
    if (entry) this.lostThrough = entry.seq;
  }

  /** The position of the first entry with a greater `seq`: O(log length). */
  positionAfter(seq: number): number {
    let [low, high] = [this.entries.start, this.entries.end];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.entries.at(middle)?.seq ?? 0) > seq) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  end(): void {
    this.ended = true;
    this.wake();
  }
}
