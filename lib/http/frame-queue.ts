import type { TextSource } from './stream-pump.ts';

/** Frames that wait for a reader; for streams of rare events. */
export interface FrameQueue extends TextSource {
  /** Adds a frame with this value as its data. Beyond 1,000 that nobody read the oldest are dropped. */
  push(data: unknown): void;
}

const mostWaiting = 1_000;

/** `onClose` is called once, when the stream that reads the queue has ended. */
export function createFrameQueue(onClose: () => void): FrameQueue {
  const frames: string[] = [];
  let ready: (() => void) | undefined;
  let ended = false;
  return {
    push(data) {
      if (ended) return;
      frames.push(`data: ${JSON.stringify(data)}\n\n`);
      if (frames.length > mostWaiting) frames.shift();
      const tell = ready;
      ready = undefined;
      tell?.();
    },
    take: () => (frames.length === 0 ? undefined : frames.splice(0).join('')),
    whenReady(fn) {
      if (ended || frames.length > 0) fn();
      else ready = fn;
    },
    get ended() {
      return ended;
    },
    close() {
      if (ended) return;
      ended = true;
      onClose();
      ready?.();
    },
  };
}
