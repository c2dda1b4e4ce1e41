import { type Clock, isoTime, type Undo } from '../base/clock.ts';
import type { ServerEventEnvelope, SessionEvent } from '../wire/event.ts';
import { limits } from '../wire/limits.ts';
import type { Channel } from './channel.ts';
import { Channels } from './channels.ts';
import { Cursor, type CursorHost, type GapReason } from './cursor.ts';
import { Deliveries } from './deliveries.ts';
import { Deque } from './deque.ts';
import { type Entry, weigh } from './entry.ts';
import type { EventBus, EventCursor, EventFigures, EventScope, Subscription } from './event-bus.ts';
import { encodeFrame } from './frame.ts';

export interface EventBusOptions {
  clock: Pick<Clock, 'now'>;
  /** The last `seq` of earlier processes; the first envelope gets the one above it. See {@link openSequence}. */
  seed: number;
  /** Envelopes kept for replay. Default 10,000. */
  capacity?: number;
  /** Bound on what they hold, in characters. Default 64 Mi. */
  maxBytes?: number;
  /** Told every new `seq`: one call per publish, so it must be a comparison in the common case. */
  onSeq?: (seq: number) => void;
}

type Listener = (scope: EventScope, envelope: ServerEventEnvelope) => void;

/**
 * The in-memory buffer of events (contract: Stream format; DECISIONS.md, Events). Publishing costs O(1) plus one wake-up for
 * every subscriber that waits; delivering costs O(1) per event and subscriber, whatever other sessions do.
 */
export function createEventBus(options: EventBusOptions): EventBus {
  return new MemoryEventBus(options);
}

class MemoryEventBus implements EventBus, CursorHost {
  lastSeq: number;
  closed = false;
  shared: CursorHost['shared'];
  readonly deliveries = new Deliveries();
  readonly #options: EventBusOptions & { capacity: number; maxBytes: number };
  readonly #ring = new Deque<Entry>();
  readonly #channels = new Channels();
  readonly #listeners = new Set<Listener>();
  readonly #cursors = new Set<Cursor>();
  #weight = 0;
  #time = { ms: Number.NaN, text: '' };

  constructor(options: EventBusOptions) {
    const { capacity = limits.eventBufferEnvelopes, maxBytes = limits.eventBufferBytes } = options;
    this.#options = { ...options, capacity, maxBytes };
    this.lastSeq = options.seed;
  }

  publish(scope: EventScope, event: SessionEvent, expand?: () => Promise<SessionEvent>): void {
    if (this.closed) return;
    const channels = this.#channels.of(scope);
    const seq = ++this.lastSeq;
    const at = this.#timestamp();
    const weight = weigh(event);
    const entry: Entry = {
      seq,
      at,
      type: event.type,
      channels,
      event,
      expand,
      frame: undefined,
      expanding: undefined,
      weight,
      forgotten: false,
    };
    this.#ring.push(entry);
    this.#weight += weight;
    for (const channel of channels) channel.entries.push(entry);
    if (event.type.startsWith('run.')) channels[0].noteRun(entry, this.#time.ms);
    this.#evict();
    this.#options.onSeq?.(seq);
    for (const channel of channels) channel.wake();
    if (this.#listeners.size > 0) this.#tell(scope, { seq, at, event });
  }

  subscribe({ tenantId, sessionId, admin, after }: Subscription): EventCursor {
    const channels = [this.#channels.of(sessionId === undefined ? { tenantId } : { tenantId, sessionId })[0]];
    if (admin && sessionId === undefined) channels.push(this.#channels.notices);
    const gap = after === undefined ? undefined : this.#gapAfter(after, channels);
    const shown = this.#channels.find({ tenantId })?.shownThrough ?? 0;
    const sources = channels.map((channel) => {
      const { start, end } = channel.entries;
      if (after === undefined) return { channel, next: channel.beginning({ now: this.#options.clock.now(), shown }) };
      if (after > this.lastSeq) return { channel, next: end };
      return { channel, next: gap === undefined ? channel.positionAfter(after) : start };
    });
    const cursor = new Cursor(this, sources, gap);
    this.#cursors.add(cursor);
    return cursor;
  }

  shown(scope: { tenantId: string; sessionId?: string }): void {
    const channel = this.#channels.find(scope);
    if (channel) channel.shownThrough = this.lastSeq;
  }

  get nowMs(): number {
    return this.#time.ms;
  }

  deliver(): void {
    this.deliveries.now();
  }

  listen(fn: Listener): Undo {
    // A registration of its own, also when the same function comes twice.
    const listener: Listener = (scope, envelope) => fn(scope, envelope);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  forget(scope: { tenantId: string; sessionId: string }): void {
    this.shared = undefined;
    const channel = this.#channels.remove(scope);
    if (!channel) return;
    for (let position = channel.entries.start; position < channel.entries.end; position++) {
      const entry = channel.entries.at(position);
      if (entry && entry.type !== 'session.deleted') this.#erase(entry);
    }
    channel.end();
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const channel of this.#channels.all()) channel.wake();
  }

  gapFrame(reason: GapReason, resumedFrom: number, sessionId: string | undefined): string {
    const event: SessionEvent = { type: 'stream.gap', reason, resumedFrom };
    if (sessionId !== undefined) event.sessionId = sessionId;
    return encodeFrame(resumedFrom, this.#timestamp(), event);
  }

  reweigh(entry: Entry, weight: number): void {
    this.#weight += weight - entry.weight;
    entry.weight = weight;
  }

  left(cursor: Cursor): void {
    this.#cursors.delete(cursor);
  }

  figures(): EventFigures {
    let slowestBehind = 0;
    for (const { behind } of this.#cursors) slowestBehind = Math.max(slowestBehind, behind);
    return {
      published: this.lastSeq - this.#options.seed,
      buffered: this.#length(),
      bufferedCharacters: this.#weight,
      subscribers: this.#cursors.size,
      slowestBehind,
    };
  }

  release(channel: Channel): void {
    this.#channels.release(channel);
  }

  /** A listener that breaks its promise must not break the run that publishes. */
  #tell(scope: EventScope, envelope: ServerEventEnvelope): void {
    for (const listener of this.#listeners) {
      try {
        listener(scope, envelope);
      } catch {}
    }
  }

  /** Why a replay of everything after `after` can't be complete; undefined when it can. */
  #gapAfter(after: number, channels: readonly Channel[]): GapReason | undefined {
    if (after === 0) return undefined;
    if (after < this.#options.seed) return 'restarted';
    return channels.some((channel) => channel.lostThrough > after) ? 'evicted' : undefined;
  }

  #evict(): void {
    const { capacity, maxBytes } = this.#options;
    while (this.#length() > capacity || (this.#weight > maxBytes && this.#length() > 1)) {
      const oldest = this.#ring.shift();
      if (!oldest) return;
      this.#weight -= oldest.weight;
      for (const channel of oldest.channels) {
        channel.evict();
        this.#channels.release(channel);
      }
    }
  }

  #length(): number {
    return this.#ring.end - this.#ring.start;
  }

  #erase(entry: Entry): void {
    entry.forgotten = true;
    entry.event = undefined;
    entry.expand = undefined;
    entry.frame = undefined;
    this.reweigh(entry, 0);
  }

  /** The time as text; the same text for everything within one millisecond. */
  #timestamp(): string {
    const ms = this.#options.clock.now();
    if (ms !== this.#time.ms) this.#time = { ms, text: isoTime(ms) };
    return this.#time.text;
  }
}
