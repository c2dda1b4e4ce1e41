import type { Send } from './connection.ts';
import type { Frame } from './frames.ts';
import { readStream } from './read-stream.ts';

export interface FollowOptions {
  path: string;
  after?: string | undefined;
  signal?: AbortSignal | undefined;
  silenceMs?: number | undefined;
  /** Called whenever the stream stands; `times` counts from 1, so anything above it is a reconnect. */
  onOpen?: ((times: number) => void) | undefined;
}

const defaults = { silenceMs: 40_000, retryMs: 1_000, longestWaitMs: 30_000 };

/**
 * The frames of a stream, over as many connections as it takes: a broken, ended or silent one is opened again from the
 * last id, waiting what the server asked for, then twice as long each time, with jitter. Ends when the signal aborts;
 * throws ApiError when the service refuses for good (any 4xx but 408, 425 and 429).
 */
export async function* followStream(send: Send, options: FollowOptions): AsyncGenerator<Frame, void, undefined> {
  const { path, signal } = options;
  let after = options.after;
  let retryMs = defaults.retryMs;
  let failures = 0;
  let opened = 0;

  while (!signal?.aborted) {
    try {
      const frames = readStream(send, {
        path,
        after,
        signal,
        silenceMs: options.silenceMs ?? defaults.silenceMs,
        onOpen: () => options.onOpen?.(++opened),
        onRetry: (ms) => {
          retryMs = ms;
        },
      });
      for await (const frame of frames) {
        failures = 0;
        after = frame.id ?? after;
        yield frame;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (isFinal(error)) throw error;
    }
    const wait = Math.min(retryMs * 2 ** failures++, Math.max(retryMs, defaults.longestWaitMs));
    await sleep(wait * (1 + Math.random() / 4), signal);
  }
}

function isFinal(error: unknown): boolean {
  if (!(error instanceof Error && error.name === 'ApiError' && 'status' in error)) return false;
  const status = Number(error.status);
  return status >= 400 && status < 500 && ![408, 425, 429].includes(status);
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake, { once: true });
    if (signal?.aborted) wake();
  });
}
