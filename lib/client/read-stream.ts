import type { Send } from './connection.ts';
import { createFrameParser, type Frame } from './frames.ts';

export interface StreamOptions {
  path: string;
  /** Sent as `Last-Event-ID`: everything after it is replayed first. */
  after?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Silence after which the connection counts as dead. The service pings every 15 s. */
  silenceMs: number;
  /** The stream stands: what happens from now on will be delivered. */
  onOpen(): void;
  onRetry(ms: number): void;
}

/** The frames of one connection. Returns when the server ends it; throws when it breaks, falls silent or is refused. */
export async function* readStream(send: Send, options: StreamOptions): AsyncGenerator<Frame, void, undefined> {
  const abort = new AbortController();
  const follow = () => abort.abort(options.signal?.reason);
  options.signal?.addEventListener('abort', follow, { once: true });
  if (options.signal?.aborted) follow();
  let silence: ReturnType<typeof setTimeout> | undefined;
  const listen = () => {
    clearTimeout(silence);
    silence = setTimeout(() => abort.abort(new Error('The event stream fell silent.')), options.silenceMs);
  };

  try {
    listen();
    const response = await send('GET', options.path, {
      headers: {
        accept: 'text/event-stream',
        ...(options.after === undefined ? {} : { 'last-event-id': options.after }),
      },
      signal: abort.signal,
    });
    const type = response.headers.get('content-type') ?? 'nothing';
    if (!type.startsWith('text/event-stream') || !response.body)
      throw new Error(`Expected an event stream, got ${type}.`);
    options.onOpen();
    const frames: Frame[] = [];
    const parse = createFrameParser({ onFrame: (frame) => frames.push(frame), onRetry: options.onRetry });
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      listen();
      parse(decoder.decode(read.value, { stream: true }));
      clearTimeout(silence);
      yield* frames.splice(0);
      listen();
    }
  } finally {
    clearTimeout(silence);
    options.signal?.removeEventListener('abort', follow);
    abort.abort();
  }
}
