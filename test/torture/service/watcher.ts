import { createParser } from 'eventsource-parser';
import type { ServerEventEnvelope } from '../../../lib/wire/event.ts';
import { within } from '../../helpers/within.ts';

/** One event stream of a running service that keeps nothing but its place. */
export interface Watcher {
  readonly lastSeq: number;
  /** Resolves once everything up to this number was seen. */
  seen(seq: number): Promise<void>;
  /** Resolves when the stream has ended, from whichever side. */
  readonly ended: Promise<void>;
  stop(): void;
}

/** Reads `path` until it ends. Rejects when it is not answered with a stream. */
export async function watchEvents(
  url: string,
  onEvent: (envelope: ServerEventEnvelope) => void,
  { path = '/api/events', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<Watcher> {
  const abort = new AbortController();
  const response = await fetch(new URL(path, url), { headers, signal: abort.signal });
  if (response.status !== 200 || !response.body) throw new Error(`GET ${path} answered ${response.status}`);
  const reader = response.body.getReader();
  const waiting = new Set<() => void>();
  let lastSeq = 0;
  const parser = createParser({
    onEvent({ data }) {
      const envelope = JSON.parse(data) as ServerEventEnvelope;
      lastSeq = envelope.seq;
      onEvent(envelope);
    },
  });

  async function pump(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        parser.feed(decoder.decode(read.value, { stream: true }));
        for (const look of waiting) look();
      }
    } catch {
      // Cut off, from here or from there.
    }
  }

  return {
    get lastSeq() {
      return lastSeq;
    },
    async seen(seq) {
      let look = (): void => {};
      const reached = new Promise<void>((resolve) => {
        look = () => lastSeq >= seq && resolve();
        waiting.add(look);
        look();
      });
      await within(10_000, reached, `event ${seq} on ${path} (at ${lastSeq})`).finally(() => waiting.delete(look));
    },
    ended: pump(),
    stop: () => abort.abort(),
  };
}
