import type { Channel, Subscriber } from './channel.ts';
import type { Deliveries } from './deliveries.ts';
import type { Entry } from './entry.ts';
import type { EventCursor } from './event-bus.ts';
import { encodeDeltaFrame, encodeFrame } from './frame.ts';

export type GapReason = 'evicted' | 'restarted';

/** What a cursor needs of the bus. */
export interface CursorHost {
  readonly lastSeq: number;
  readonly closed: boolean;
  readonly deliveries: Deliveries;
  /** When the newest event was published, in milliseconds. */
  readonly nowMs: number;
  /** The frame of a gap whose replay starts after `resumedFrom`. */
  gapFrame(reason: GapReason, resumedFrom: number, sessionId: string | undefined): string;
  /** Accounts for what an entry holds after its frame was made. */
  reweigh(entry: Entry, weight: number): void;
  /** The last text made, for the other cursors that stand where it starts. */
  shared: { channel: Channel; from: number; to: number; maxBytes: number; text: string } | undefined;
  release(channel: Channel): void;
  /** A cursor was closed. */
  left(cursor: Cursor): void;
}

/** Who was called longer ago than this is told of the next event at once. */
const calmMs = 1;

interface Source {
  readonly channel: Channel;
  /** Position of the next entry. */
  next: number;
}

/** A position on one channel, or on two merged by `seq` (a tenant and the administrators' notices). */
export class Cursor implements EventCursor, Subscriber {
  readonly #host: CursorHost;
  readonly #sources: readonly Source[];
  #gap: GapReason | undefined;
  #ready: (() => void) | undefined;
  #closed = false;
  #calledAtMs = 0;

  constructor(host: CursorHost, sources: readonly Source[], gap: GapReason | undefined) {
    this.#host = host;
    this.#sources = sources;
    this.#gap = gap;
    for (const { channel } of sources) channel.subscribers.add(this);
  }

  get ended(): boolean {
    return this.#closed || (this.#isFinal() && !this.#hasNext());
  }

  /** Entries that are there and were not taken yet. */
  get behind(): number {
    return this.#sources.reduce(
      (sum, { channel: { entries }, next }) => sum + entries.end - Math.max(next, entries.start),
      0,
    );
  }

  take(maxBytes: number): string | Promise<string> | undefined {
    if (this.#closed) return undefined;
    const only = this.#sources.length === 1 ? this.#sources[0] : undefined;
    let text = this.#takeGap();
    const shared = this.#host.shared;
    if (only && shared && text === '' && shared.channel === only.channel && shared.from === only.next) {
      if (shared.maxBytes === maxBytes) {
        only.next = shared.to;
        return shared.text;
      }
    }
    const from = text === '' ? only?.next : undefined;
    for (let source = this.#first(); source; source = this.#first()) {
      const entry = source.channel.entries.at(source.next);
      if (entry) source.channel.taken = Math.max(source.channel.taken, entry.seq);
      if (!entry || entry.forgotten) {
        source.next++;
        continue;
      }
      if (entry.expand) {
        if (text !== '') break;
        source.next++;
        return expandedFrame(entry, entry.expand);
      }
      const frame = this.#frame(entry);
      if (text !== '' && text.length + frame.length > maxBytes) break;
      source.next++;
      text += frame;
    }
    if (text === '') return undefined;
    if (only && from !== undefined) this.#host.shared = { channel: only.channel, from, to: only.next, maxBytes, text };
    return text;
  }

  whenReady(fn: () => void): void {
    if (this.#closed || this.#isFinal() || this.#hasNext()) {
      fn();
      return;
    }
    this.#ready = fn;
  }

  wake(): void {
    const ready = this.#ready;
    if (!ready) return;
    this.#ready = undefined;
    const { deliveries, nowMs } = this.#host;
    deliveries.add(ready, { calm: nowMs - this.#calledAtMs > calmMs });
    this.#calledAtMs = nowMs;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { channel } of this.#sources) {
      channel.subscribers.delete(this);
      this.#host.release(channel);
    }
    this.#host.left(this);
    this.#ready?.();
    this.#ready = undefined;
  }

  /** The gap frame when replay starts late or this cursor fell out of the buffer; '' otherwise. */
  #takeGap(): string {
    for (const source of this.#sources) {
      if (source.next >= source.channel.entries.start) continue;
      source.next = source.channel.entries.start;
      this.#gap ??= 'evicted';
    }
    const reason = this.#gap;
    if (!reason) return '';
    this.#gap = undefined;
    const first = this.#first();
    const seq = first?.channel.entries.at(first.next)?.seq;
    return this.#host.gapFrame(
      reason,
      seq === undefined ? this.#host.lastSeq : seq - 1,
      this.#sources[0]?.channel.sessionId,
    );
  }

  /** The source whose next entry has the lowest `seq`. */
  #first(): Source | undefined {
    let [best, lowest] = [undefined as Source | undefined, Number.POSITIVE_INFINITY];
    for (const source of this.#sources) {
      const seq = source.channel.entries.at(source.next)?.seq ?? Number.POSITIVE_INFINITY;
      if (seq < lowest) [best, lowest] = [source, seq];
    }
    return best;
  }

  #hasNext(): boolean {
    return this.#gap !== undefined || this.#sources.some(({ channel, next }) => next < channel.entries.end);
  }

  #isFinal(): boolean {
    return this.#host.closed || this.#sources.every(({ channel }) => channel.ended);
  }

  /**
   * The frame of an entry: encoded for the first who takes it, shared with everyone after. A delta's is made anew: that is
   * quick, those who read side by side share the whole text, and ten thousand frames are what the collector has to carry.
   */
  #frame(entry: Entry): string {
    if (entry.frame !== undefined) return entry.frame;
    const { seq, at, event, channels } = entry;
    if (!event) return '';
    if (event.type === 'message.delta') return encodeDeltaFrame(seq, at, event, channels[0]);
    const frame = encodeFrame(seq, at, event);
    entry.frame = frame;
    entry.event = undefined;
    this.#host.reweigh(entry, frame.length);
    return frame;
  }
}

/** Made anew for each wave of readers: holding it is what `expand` avoids. The stand-in goes out when it fails. */
function expandedFrame(entry: Entry, expand: () => Promise<NonNullable<Entry['event']>>): Promise<string> {
  const { seq, at, event } = entry;
  entry.expanding ??= Promise.resolve()
    .then(expand)
    .then(
      (full) => encodeFrame(seq, at, full),
      () => (event ? encodeFrame(seq, at, event) : `: ${seq} is gone\n\n`),
    )
    .finally(() => {
      entry.expanding = undefined;
    });
  return entry.expanding;
}
