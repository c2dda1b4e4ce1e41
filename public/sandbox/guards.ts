const maxHeight = 4_000;
const echo = 4;
const busyChanges = 20;
const busyMs = 2_000;

/**
 * Turns what a frame says about its height into the height it gets; undefined: leave it. Between 0 and 4,000 px; small shrinks
 * are echoes of our own change; more than 20 changes in 2 s are a loop, and the height then stays.
 */
export function createHeightGuard(now: () => number): (wanted: number) => number | undefined {
  let current = 0;
  let frozen = false;
  let changes: number[] = [];
  return (wanted) => {
    const height = Math.min(maxHeight, Math.max(0, Math.ceil(wanted)));
    if (frozen || height === current || (height < current && current - height <= echo && height > 0)) return undefined;
    changes = [...changes.filter((at) => now() - at < busyMs), now()];
    frozen = changes.length > busyChanges;
    if (frozen) return undefined;
    current = height;
    return height;
  };
}

/** True while no more than `limit` calls came within the last `windowMs`. */
export function createRateGuard(limit: number, windowMs: number, now: () => number): () => boolean {
  let start = 0;
  let count = 0;
  return () => {
    if (now() - start >= windowMs) {
      start = now();
      count = 0;
    }
    return ++count <= limit;
  };
}
