import type { Clock, Undo } from '../base/clock.ts';

/** Text that arrives over time; an event cursor is one. Nothing is taken before somebody can send it. */
export interface TextSource {
  /** The next text, up to about `maxBytes`; `undefined` when there is nothing new. */
  take(maxBytes: number): string | Promise<string> | undefined;
  /** Calls `fn` once when there is something to take or the source ended. */
  whenReady(fn: () => void): void;
  readonly ended: boolean;
  close(): void;
}

/** Where a pump writes. */
export interface TextSink {
  /** Sends text; false when no more should come before {@link StreamPump.resume}. */
  write(text: string): boolean;
  end(): void;
}

export interface PumpOptions {
  clock: Pick<Clock, 'after'>;
  heartbeatMs: number;
  retryMs: number;
  /** Aborts when the client is gone. */
  signal: AbortSignal;
  /** Called once, however the stream ends. */
  onClose?: () => void;
}

const packetBytes = 64 * 1024;

/**
 * Moves text from a source to a sink, as fast as the sink takes it and never faster: everything that is ready becomes one
 * write. First `retry`, then the source's frames with a comment in between every `heartbeatMs`. One way to end: `close`.
 */
export class StreamPump {
  readonly #source: TextSource;
  readonly #options: PumpOptions;
  readonly #onAbort = () => this.close();
  readonly #moveNow = () => this.#move();
  #sink: TextSink | undefined;
  #cancelHeartbeat: Undo = () => {};
  /** The sink is full. */
  #paused = true;
  /** A frame is being made; what comes after it must wait. */
  #making = false;
  #closed = false;
  #finishing = false;

  constructor(source: TextSource, options: PumpOptions) {
    this.#source = source;
    this.#options = options;
    if (options.signal.aborted) this.close();
    else options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Takes the sink and greets the client at once, because headers leave with the first text. */
  start(sink: TextSink): void {
    if (this.#closed) {
      sink.end();
      return;
    }
    this.#sink = sink;
    this.#paused = !sink.write(`retry: ${this.#options.retryMs}\n\n`);
    this.#beat();
    this.#move();
  }

  /** The sink takes more again. */
  resume(): void {
    if (!this.#paused || this.#closed) return;
    this.#paused = false;
    this.#move();
  }

  /** Closes once everything that the source has by now is sent; a client that does not read holds it open. */
  finish(): void {
    this.#finishing = true;
    this.#move();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelHeartbeat();
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#source.close();
    this.#sink?.end();
    this.#options.onClose?.();
  }

  #move(): void {
    while (!this.#paused && !this.#making && !this.#closed) {
      const text = this.#source.take(packetBytes);
      if (typeof text === 'string') this.#write(text);
      else if (text) {
        this.#making = true;
        text.then(
          (late) => this.#continueWith(late),
          () => this.close(),
        );
      } else if (this.#source.ended || this.#finishing) this.close();
      else {
        this.#source.whenReady(this.#moveNow);
        return;
      }
    }
  }

  #continueWith(text: string): void {
    if (this.#closed) return;
    this.#making = false;
    this.#write(text);
    this.#move();
  }

  #write(text: string): void {
    if (this.#sink && !this.#sink.write(text)) this.#paused = true;
  }

  /** A client that does not read gets no heartbeats: they would pile up. */
  #beat(): void {
    const { clock, heartbeatMs } = this.#options;
    this.#cancelHeartbeat = clock.after(heartbeatMs, () => {
      if (!this.#paused && !this.#making) this.#write(': ping\n\n');
      this.#beat();
    });
  }
}
