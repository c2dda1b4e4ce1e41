import { Deque } from './deque.ts';
import type { Entry } from './entry.ts';

/** How long after the end of a run its sender may still be on the way to the stream. */
const lateMs = 1_000;

/** Somebody who stands on a channel. */
export interface Subscriber {
  /** There is a new entry, or the channel ended. Costs nothing for who does not wait. */
  wake(): void;
}

/** The channels of one event, its own first. */
export type Route = readonly [Channel, ...Channel[]];

/** The entries of one stream (a session, a tenant, or the administrators' notices) in the order of their `seq`. */
export class Channel {
  readonly entries = new Deque<Entry>();
  /** A channel with subscribers or entries is kept. */
  readonly subscribers = new Set<Subscriber>();
  /** The `seq` of the last entry that was evicted from this stream; 0 when none was. */
  lostThrough: number;
  /** Nothing will come any more. */
  ended = false;
  /** The `seq` of the newest entry that a cursor of this channel has taken. */
  taken = 0;
  /** Nothing up to this `seq` is news to somebody who asked for the state meanwhile. */
  shownThrough = 0;
  /** Position where the last run begins, with the message that started it, and when it ended. */
  private run: { from: number; ended?: { seq: number; at: number } } | undefined;
  /** What `message.delta` frames of the current message share. */
  prefix: { messageId: string; channel: string; text: string } | undefined;

  readonly tenantId: string | undefined;
  readonly sessionId: string | undefined;
  /** Where an event of this channel is put: here, and on the channel of all of the tenant. */
  readonly route: Route;

  constructor(lostThrough: number, of: { tenantId?: string; sessionId?: string; tenant?: Channel } = {}) {
    this.lostThrough = lostThrough;
    this.tenantId = of.tenantId;
    this.sessionId = of.sessionId;
    this.route = of.tenant ? [this, of.tenant] : [this];
  }

  /** O(subscribers). */
  wake(): void {
    for (const subscriber of this.subscribers) subscriber.wake();
  }

  /** To be told of a run's start or end, right after its entry was added; `at` in milliseconds. */
  noteRun({ type, seq }: Pick<Entry, 'type' | 'seq'>, at: number): void {
    if (type !== 'run.started') {
      if (this.run) this.run.ended = { seq, at };
      return;
    }
    // The three are published as one.
    let position = this.entries.end - 1;
    for (const before of ['session.updated', 'message.completed'])
      if (this.entries.at(position - 1)?.type === before) position--;
    this.run = { from: position };
  }

  /**
   * Where somebody begins who subscribes without an id (contract: a client may subscribe before or after sending): with the run
   * that is going on, or with one so short that it is over already, unless its end was told: to a subscriber, or by an
   * answer that shows everything up to `shown`. Otherwise with what comes next.
   */
  beginning({ now, shown }: { now: number; shown: number }): number {
    const { start, end } = this.entries;
    const { from = end, ended } = this.run ?? {};
    if (!ended) return Math.max(start, from);
    const wasTold = ended.seq <= Math.max(this.taken, this.shownThrough, shown);
    return wasTold || now - ended.at > lateMs ? end : Math.max(start, from);
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
