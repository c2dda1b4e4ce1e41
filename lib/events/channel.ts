import { Deque } from './deque.ts';
import type { Entry } from './entry.ts';

/** Somebody who waits for the next entry of a channel. */
export interface Waiter {
  wake(): void;
}

/** As long as a client may take from the answer to its message to its subscription. */
const justEndedMs = 2_000;

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
  /** The run that a new subscriber should not miss: it is going on, or it just ended and nobody has seen it. */
  #run: { from: number; seen: boolean; endedAt?: number } | undefined;
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
  noteRun(type: string, now: number): void {
    if (type !== 'run.started') {
      this.#run = this.#run && !this.#run.seen ? { ...this.#run, endedAt: now } : undefined;
      return;
    }
    // The three are published as one.
    let from = this.entries.end - 1;
    for (const before of ['session.updated', 'message.completed'])
      if (this.entries.at(from - 1)?.type === before) from--;
    this.#run = { from, seen: this.cursors > 0 };
  }

  /** Where somebody who has seen nothing yet begins: at the run not to be missed, with the message that started it, or at the end. */
  positionOfNew(now: number): number {
    const { start, end } = this.entries;
    const { from = end, endedAt = now } = this.#run ?? {};
    return now - endedAt > justEndedMs ? end : Math.max(start, from);
  }

  /** To be told of every subscriber, after its position was asked for. */
  noteSubscriber(): void {
    if (this.#run?.endedAt !== undefined) this.#run = undefined;
    else if (this.#run) this.#run.seen = true;
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
