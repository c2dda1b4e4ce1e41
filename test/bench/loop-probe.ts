import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

// Preloaded into a measured process. A SIGUSR2 writes how late its event loop was since the last one to LOOP_PROBE.

const file = process.env.LOOP_PROBE;
const resolutionMs = 2;

if (isMainThread && file) {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  const lateMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs);
  process.on('SIGUSR2', () => {
    writeFileSync(file, JSON.stringify({ p99Ms: lateMs(delay.percentile(99)), maxMs: lateMs(delay.max) }));
    delay.reset();
  });
}
