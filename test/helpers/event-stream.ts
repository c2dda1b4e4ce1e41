import { createParser } from 'eventsource-parser';
import type { ServerEventEnvelope, SessionEvent } from '../../lib/wire/event.ts';
import { within } from './within.ts';

export interface Frame {
  id?: string;
  event?: string;
  data: string;
}

/** An event stream that is being read. Close it, or the test process stays alive. */
export interface EventStream {
  readonly response: Response;
  /** Everything received so far, byte for byte as text. */
  readonly raw: string;
  readonly frames: readonly Frame[];
  readonly comments: readonly string[];
  readonly retries: readonly number[];
  /** The frames read as envelopes. */
  readonly envelopes: readonly ServerEventEnvelope[];
  /** The events after the last one an earlier `until` returned, up to and with the first that matches. Waits 5 s at most. */
  until(match: EventMatch, options?: { ms?: number }): Promise<ServerEventEnvelope[]>;
  /** Resolves when `holds` is true for what was received; looked at after every read. */
  when(holds: () => boolean, options?: { ms?: number; what?: string }): Promise<void>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** A type, or a test of the event. */
export type EventMatch = SessionEvent['type'] | ((event: SessionEvent, envelope: ServerEventEnvelope) => boolean);

export interface OpenOptions {
  headers?: Record<string, string>;
  fetch?: typeof fetch;
}

/** Opens a stream over HTTP; rejects when the answer is not a 200 event stream. */
export async function openEventStream(url: string | URL, options: OpenOptions = {}): Promise<EventStream> {
  const abort = new AbortController();
  const response = await (options.fetch ?? fetch)(url, { headers: options.headers ?? {}, signal: abort.signal });
  if (response.status !== 200 || !response.headers.get('content-type')?.startsWith('text/event-stream'))
    throw new Error(`GET ${url} answered ${response.status}: ${await response.text()}`);
  return readEventStream(response, () => abort.abort());
}

/** Reads the body of a response as an event stream, for example one that a handler returned. */
export function readEventStream(response: Response, abort: () => void = () => {}): EventStream {
  if (!response.body) throw new Error('the response has no body');
  const reader = response.body.getReader();
  const frames: Frame[] = [];
  const comments: string[] = [];
  const retries: number[] = [];
  const envelopes: ServerEventEnvelope[] = [];
  const listeners = new Set<() => void>();
  let raw = '';
  let taken = 0;
  let over = false;

  const parser = createParser({
    onEvent(frame) {
      frames.push({ ...frame });
      envelopes.push(JSON.parse(frame.data) as ServerEventEnvelope);
    },
    onComment: (comment) => comments.push(comment),
    onRetry: (ms) => retries.push(ms),
  });
  const ended = pump();

  async function pump(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        const text = decoder.decode(read.value, { stream: true });
        raw += text;
        parser.feed(text);
        for (const listener of [...listeners]) listener();
      }
    } catch {
      // Closed from this side, or the connection broke: either way nothing more comes.
    }
    over = true;
    for (const listener of [...listeners]) listener();
  }

  function when(holds: () => boolean, options: { ms?: number; what?: string } = {}): Promise<void> {
    const what = options.what ?? 'what the stream should bring';
    let look = () => {};
    const seen = new Promise<void>((resolve, reject) => {
      look = () => {
        if (holds()) resolve();
        else if (over) reject(new Error(`the stream ended before ${what}; it brought ${summary()}`));
      };
      listeners.add(look);
      look();
    });
    return within(options.ms ?? 5_000, seen, `${what} (so far: ${summary()})`).finally(() => listeners.delete(look));
  }

  const summary = () => envelopes.map(({ event }) => event.type).join(', ') || 'nothing';

  return {
    response,
    get raw() {
      return raw;
    },
    frames,
    comments,
    retries,
    envelopes,
    ended,
    when,
    async until(match, options = {}) {
      const test = typeof match === 'string' ? (event: SessionEvent) => event.type === match : match;
      const found = () => envelopes.findIndex((envelope, at) => at >= taken && test(envelope.event, envelope));
      const what = typeof match === 'string' ? match : 'the awaited event';
      await when(() => found() >= 0, { ms: options.ms ?? 5_000, what });
      const start = taken;
      taken = found() + 1;
      return envelopes.slice(start, taken);
    },
    async close() {
      abort();
      await reader.cancel().catch(() => {});
      await ended;
    },
  };
}
