/** A frame that answers pings. */
export interface Watched {
  ping(): void;
  /** When the last answer came, its document began, or the frame was opened. */
  readonly heardAt: number;
  /** Its document runs, and can answer. */
  readonly begun: boolean;
}

const everyMs = 2_000;
const silentMs = 4_000;
/** As long as discovery waits for a document: a slow connection is not a bundle that hangs. */
const loadMs = 15_000;

/**
 * Pings frames every two seconds while the page is visible, and calls `onHang` when one was silent for more than four, or has
 * not come for fifteen. Rounds that came late themselves, and those during `busy`, say nothing about the frames.
 */
export function startWatchdog(frames: () => Iterable<Watched>, busy: () => boolean, onHang: () => void): () => void {
  let lastRound = performance.now();
  let quietSince = lastRound;
  const timer = setInterval(() => {
    const now = performance.now();
    if (now - lastRound > everyMs * 1.75 || busy() || document.visibilityState !== 'visible') quietSince = now;
    lastRound = now;
    let hangs = false;
    for (const frame of frames()) {
      const most = frame.begun ? silentMs : loadMs;
      if (now - Math.max(frame.heardAt, quietSince) > most + everyMs / 2) hangs = true;
      frame.ping();
    }
    if (!hangs) return;
    quietSince = now;
    onHang();
  }, everyMs);
  return () => clearInterval(timer);
}
