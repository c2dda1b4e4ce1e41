import type { IncomingMessage } from 'node:http';

/** One open event stream. It looks for marks in the bytes and parses nothing, so that the client is not what is measured. */
export interface Listener {
  /** Resolves with the time at which the first delta of the turn was seen. */
  firstDelta(): Promise<number>;
  /** Resolves with the time of the next end of a turn; rejects when the turn failed. */
  finished(): Promise<number>;
  /** True once the server or the connection is gone. */
  isClosed(): boolean;
  /** Resolves then. */
  closed: Promise<void>;
  close(): void;
}

export function createListener(
  response: IncomingMessage,
  { marks, close }: { marks: { delta: string; finished: string; failed: string }; close: () => void },
): Listener {
  const longestMark = Math.max(...Object.values(marks).map((mark) => mark.length));
  let tail = '';
  let delta: number | undefined;
  const ends: number[] = [];
  let onDelta: ((at: number) => void) | undefined;
  let onEnd: ((at: number) => void) | undefined;
  let failure: Error | undefined;
  let gone = false;
  const closed = new Promise<void>((resolve) => {
    response.once('close', () => {
      gone = true;
      resolve();
    });
  });
  response.setEncoding('latin1').on('error', () => {});
  response.on('data', (chunk: string) => {
    const now = performance.now();
    const text = tail + chunk;
    tail = text.slice(1 - longestMark);
    const failed = text.indexOf(marks.failed);
    if (failed >= 0) failure = new Error(`a run failed: ${text.slice(failed, failed + 300)}`);
    if (delta === undefined && text.includes(marks.delta)) {
      delta = now;
      onDelta?.(now);
    }
    if (!text.includes(marks.finished) && !failure) return;
    tail = '';
    if (onEnd) onEnd(now);
    else ends.push(now);
  });
  return {
    firstDelta: () =>
      new Promise((resolve) => {
        if (delta === undefined) onDelta = resolve;
        else resolve(delta);
      }),
    async finished() {
      const nextEnd = new Promise<number>((resolve) => {
        onEnd = ends.length === 0 ? resolve : undefined;
      });
      const at = ends.shift() ?? (await nextEnd);
      onEnd = undefined;
      onDelta = undefined;
      delta = undefined;
      if (failure) throw failure;
      return at;
    },
    isClosed: () => gone,
    closed,
    close,
  };
}
